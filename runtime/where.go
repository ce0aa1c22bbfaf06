package runtime

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// whereTermsText is what can be asked for.
const whereTermsText = "machine=, state=, status=, outcome=, definition=, parent=, id=, tag.NAME= or older than"

// ParseWhere reads which runs are meant, as operators write it: terms that all
// hold, with blanks, commas or the word "and" between them.
//
//	machine=Order state=Paying older than 2h
//	status=halted, outcome=failure, definition=<hash>
//	tag.team=pay and tag.for='Ada Lovelace' id=pr-1*
//
// State is the path of a leaf. Status is running, halted, ending, finished or paused.
// Parent=ID are the children of that run. Id=ID is that run; with * at its end, the runs whose ids
// begin so. Tag.NAME is the value of that tag of the run.
// Older than means started at least so long before now; see ParseAge. A value with blanks or commas
// stands in quotes, 'one' or "one", and a quote in it twice. A term
// that is said twice, or makes no sense, is an error in lower case.
func ParseWhere(text string, now time.Time) (RunFilter, error) {
	var f RunFilter
	terms, err := readTerms(text)
	if err != nil {
		return f, err
	}
	seen := map[string]bool{}
	for _, t := range terms {
		if seen[t.key] {
			return f, fmt.Errorf("%q is said twice", t.key)
		}
		seen[t.key] = true
		if err := setTerm(&f, t, now); err != nil {
			return f, err
		}
	}
	if len(seen) == 0 {
		return f, errors.New("it has no term: write " + whereTermsText)
	}
	return f, nil
}

func setTerm(f *RunFilter, t term, now time.Time) error {
	key, value := t.key, t.value
	if name, ok := strings.CutPrefix(key, "tag."); ok {
		if f.Tags == nil {
			f.Tags = map[string]string{}
		}
		f.Tags[name] = value
		return machine.CheckTagName(name)
	}
	plain := map[string]*string{"machine": &f.Machine, "state": &f.State, "definition": &f.Definition, "parent": &f.Parent}
	if field := plain[key]; field != nil {
		*field = value
		return nil
	}
	switch key {
	case "id":
		if prefix, ok := strings.CutSuffix(value, "*"); ok && !t.quoted {
			if f.RunPrefix = prefix; prefix == "" {
				return errors.New("id=* is every run: leave it out")
			}
		} else {
			f.Run = value
		}
	case "status":
		if value == "paused" {
			f.Status, f.Paused = Running, true
			return nil
		}
		if slices.Contains(outcomes, value) { // lists have both in one column
			return fmt.Errorf("%s is no status (did you mean outcome=%[1]s?)", value)
		}
		f.Status = Status(value)
		return oneOf(key, value, string(Running), string(Halted), string(Ending), string(Finished), "paused")
	case "outcome":
		f.Outcome = Outcome(value)
		return oneOf(key, value, outcomes...)
	case "older":
		age, err := ParseAge(value)
		f.StartedTo = now.Add(-age)
		return err
	default:
		near := machine.DidYouMean(key, []string{"machine", "state", "status", "outcome", "definition", "parent", "id", "older"})
		return fmt.Errorf("there is no %q to ask for%s", key, cmp.Or(near, ": write "+whereTermsText))
	}
	return nil
}

// outcomes are those of a run.
var outcomes = []string{string(Success), string(Failed), string(Cancelled)}

func oneOf(key, value string, values ...string) error {
	if slices.Contains(values, value) {
		return nil
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

// isAge is the form of an age.
var isAge = regexp.MustCompile(`^(\d+w)?(\d+d)?(\d+(\.\d+)?(h|m|s|ms|us|µs|ns))*$`)

func badAge(text string) error {
	if text != "" && isAge.MatchString(text) {
		return fmt.Errorf("%q is too long an age: write at most 4095w or 4095d", text)
	}
	return fmt.Errorf("%q is no age: write it like 90s, 1h30m or 30d", text)
}
