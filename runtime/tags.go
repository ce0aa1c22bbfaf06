package runtime

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// MaxTags is how many tags a run may have, and MaxTagValue how many bytes the value of one.
const (
	MaxTags     = 8
	MaxTagValue = 128
)

// StartOption says something of a run that is started.
type StartOption func(*startOptions)

type startOptions struct {
	by   Operator
	tags map[string]string
}

// StartedBy says who starts the run, and why; its history has both.
func StartedBy(who Operator) StartOption { return func(o *startOptions) { o.by = who } }

// WithTags gives the run tags: what it belongs to, by name, such as "team": "pay". Lists and
// commands for many runs find it by them. They never change, and the machine does not know
// of them. The children of the run have the same. See CheckTags for what is allowed.
func WithTags(tags map[string]string) StartOption { return func(o *startOptions) { o.tags = tags } }

var tagName = regexp.MustCompile(`^[a-z][a-z0-9_.-]{0,62}$`)

// CheckTags refuses tags that no run can have: there are at most MaxTags; a name has at most 63
// of a to z, 0 to 9, "_", "." and "-", and begins with a letter; a value is text without control
// characters, of 1 to MaxTagValue bytes.
func CheckTags(tags map[string]string) error {
	if len(tags) > MaxTags {
		return fmt.Errorf("a run has at most %d tags, and here are %d", MaxTags, len(tags))
	}
	for _, name := range store.TagNames(tags) {
		if err := checkTagName(name); err != nil {
			return err
		}
		value := tags[name]
		switch {
		case value == "":
			return fmt.Errorf("the tag %q has no value", name)
		case len(value) > MaxTagValue:
			return fmt.Errorf("the value of the tag %q has %d bytes, more than the %d that are allowed", name, len(value), MaxTagValue)
		case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
			return fmt.Errorf("the value of the tag %q is %s: it is UTF-8 without control characters", name, strconv.QuoteToASCII(value))
		}
	}
	return nil
}

func checkTagName(name string) error {
	if tagName.MatchString(name) {
		return nil
	}
	shown := name
	if len(shown) > 70 {
		shown = shown[:70] + "…"
	}
	return fmt.Errorf("%s is no name of a tag: it has at most 63 of a to z, 0 to 9, _, . and -, and begins with a letter", strconv.QuoteToASCII(shown))
}
