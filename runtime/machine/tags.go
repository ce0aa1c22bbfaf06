package machine

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxTags is how many tags a run may have, and MaxTagValue how many bytes the value of one.
const (
	MaxTags     = 8
	MaxTagValue = 128
)

// StartOption says something of a run that is started: an Operator, by whom and why, or Tags.
type StartOption interface{ option(*StartOptions) }

// StartOptions are all that is said of a run that is started.
type StartOptions struct {
	By   Operator
	Tags Tags
}

// Tags say what a run belongs to, by name, such as "team": "pay". They are no part of what the
// run does: no snapshot and no record has them.
type Tags map[string]string

func (o Operator) option(all *StartOptions) { all.By = o }
func (t Tags) option(all *StartOptions)     { all.Tags = t }

// ReadStart puts options together, and refuses tags that no run can have.
func ReadStart(options []StartOption) (all StartOptions, err error) {
	for _, o := range options {
		o.option(&all)
	}
	return all, CheckTags(all.Tags)
}

// TagNames are the names of tags, in order.
func TagNames(tags map[string]string) []string { return slices.Sorted(maps.Keys(tags)) }

var tagName = regexp.MustCompile(`^[a-z][a-z0-9_.-]{0,62}$`)

// CheckTags refuses tags that no run can have: there are at most MaxTags; a name has at most 63
// of a to z, 0 to 9, "_", "." and "-", and begins with a letter; a value is text without control
// characters, of 1 to MaxTagValue bytes.
func CheckTags(tags map[string]string) error {
	if len(tags) > MaxTags {
		return fmt.Errorf("a run has at most %d tags, and here are %d", MaxTags, len(tags))
	}
	for _, name := range TagNames(tags) {
		if err := CheckTagName(name); err != nil {
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

// CheckTagName refuses a name that no tag can have.
func CheckTagName(name string) error {
	if tagName.MatchString(name) {
		return nil
	}
	shown := name
	if len(shown) > 70 {
		shown = shown[:70] + "…"
	}
	return fmt.Errorf("%s is no name of a tag: it has at most 63 of a to z, 0 to 9, _, . and -, and begins with a letter", strconv.QuoteToASCII(shown))
}
