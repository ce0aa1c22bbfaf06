package runtime

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// ParseWhere reads which runs are meant, as operators write it: terms that all
// hold, with blanks, commas or the word "and" between them.
//
//	machine=Order state=Paying older than 2h
//	status=halted, outcome=failure, definition=<hash>
//
// State is the path of a leaf. Status is running, halted, ending, finished or paused.
// Parent=ID are the children of that run.
// Older than means started at least so long before now; see ParseAge. A term
// that is said twice, or makes no sense, is an error in lower case.
func ParseWhere(text string, now time.Time) (RunFilter, error) {
	var f RunFilter
	seen := map[string]bool{}
	for _, term := range whereTerms(text) {
		key, value, ok := strings.Cut(term, "=")
		if !ok || value == "" {
			return f, fmt.Errorf("%q is no term: write machine=, state=, status=, outcome=, definition=, parent= or older than", term)
		}
		if seen[key] {
			return f, fmt.Errorf("%q is said twice", key)
		}
		seen[key] = true
		if err := setTerm(&f, key, value, now); err != nil {
			return f, err
		}
	}
	if len(seen) == 0 {
		return f, fmt.Errorf("it has no term: write machine=, state=, status=, outcome=, definition=, parent= or older than")
	}
	return f, nil
}

var (
	olderThan   = regexp.MustCompile(`\bolder\s+than\s+|\bolder\s*[=>]\s*`)
	aroundEqual = regexp.MustCompile(`\s*=\s*`)
)

// whereTerms gives the terms, each as "key=value".
func whereTerms(text string) []string {
	text = olderThan.ReplaceAllString(text, " older=")
	text = aroundEqual.ReplaceAllString(text, "=")
	var terms []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' }) {
		if word != "and" {
			terms = append(terms, word)
		}
	}
	return terms
}

func setTerm(f *RunFilter, key, value string, now time.Time) error {
	switch key {
	case "machine":
		f.Machine = value
	case "state":
		f.State = value
	case "definition":
		f.Definition = value
	case "parent":
		f.Parent = value
	case "status":
		if value == "paused" {
			f.Status, f.Paused = Running, true
			return nil
		}
		f.Status = Status(value)
		return oneOf(key, value, string(Running), string(Halted), string(Ending), string(Finished), "paused")
	case "outcome":
		f.Outcome = Outcome(value)
		return oneOf(key, value, string(Success), string(Failed), string(Cancelled))
	case "older":
		age, err := ParseAge(value)
		f.StartedTo = now.Add(-age)
		return err
	default:
		return fmt.Errorf("there is no %q to ask for%s", key,
			machine.DidYouMean(key, []string{"machine", "state", "status", "outcome", "definition", "parent", "older"}))
	}
	return nil
}

func oneOf(key, value string, values ...string) error {
	for _, v := range values {
		if v == value {
			return nil
		}
	}
	return fmt.Errorf("%s is one of %s, not %q%s", key, strings.Join(values, ", "), value, machine.DidYouMean(value, values))
}

// ParseAge reads how long ago something was: a duration of Go ("90s", "1h30m")
// that may begin with weeks and days: "30d", "2w", "1d12h". It is not negative.
func ParseAge(text string) (time.Duration, error) {
	var age time.Duration
	rest := text
	for _, unit := range []struct {
		letter string
		length time.Duration
	}{{"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour}} {
		count, after, ok := strings.Cut(rest, unit.letter)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(count, 10, 12) // 4095 weeks and as many days fit
		if err != nil {
			return 0, badAge(text)
		}
		age, rest = age+time.Duration(n)*unit.length, after
	}
	if rest == "" && text != "" {
		return age, nil
	}
	d, err := time.ParseDuration(rest)
	if err != nil || d < 0 || age+d < 0 {
		return 0, badAge(text)
	}
	return age + d, nil
}

func badAge(text string) error {
	return fmt.Errorf("%q is no age: write it like 90s, 1h30m or 30d", text)
}
