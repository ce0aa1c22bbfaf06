package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// formatFlag adds the flag that every command with a report has.
func formatFlag(c *cobra.Command, asJSON *bool) {
	chooseFlag(c, asJSON, "format", "text", "how to print", option[bool]{"text", false}, option[bool]{"json", true})
}

func machineFlag(c *cobra.Command, machine *string) {
	c.Flags().StringVar(machine, "machine", "", "the machine called `NAME`, if PATH has several")
}

// ageFlag adds a flag that takes how long ago something was, as parse reads it.
func ageFlag(c *cobra.Command, into *time.Duration, parse func(string) (time.Duration, error), name, usage string) {
	c.Flags().Func(name, usage, func(text string) (err error) {
		*into, err = parse(text)
		return err
	})
}

func tagFlag(c *cobra.Command, into *[]string, usage string) {
	c.Flags().StringArrayVar(into, "tag", nil, usage)
}

// readTags reads what --tag has been given; nil for nothing.
func readTags(given []string) (map[string]string, error) {
	var tags map[string]string
	for _, text := range given {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--tag %s: write NAME=VALUE", text)
		}
		if _, twice := tags[name]; twice {
			return nil, fmt.Errorf("--tag %s: the tag %q is given twice", text, name)
		}
		if tags == nil {
			tags = map[string]string{}
		}
		tags[name] = value
	}
	if err := machine.CheckTags(tags); err != nil {
		return nil, fmt.Errorf("--tag: %w", err)
	}
	return tags, nil
}

// operatorFlags are those that say who sends a command, and why.
func operatorFlags(c *cobra.Command, who *runtime.Operator) {
	noteFlag(c, &who.Actor, "actor", user(), "who does this: a `NAME` for the history of the run")
	noteFlag(c, &who.Reason, "reason", "", "why: a `TEXT` for the history of the run")
}

// note is the value of a flag with a text that is kept.
type note struct{ into *string }

func noteFlag(c *cobra.Command, into *string, name, value, usage string) {
	*into = value
	c.Flags().Var(note{into}, name, usage)
}

// String, Set and Type make it the value of a flag.
func (n note) String() string { return *n.into }

func (n note) Type() string { return "string" }

func (n note) Set(text string) error {
	switch {
	case !utf8.ValidString(text):
		return errors.New("it is not valid UTF-8")
	case len(text) > machine.MaxNote:
		return fmt.Errorf("it has %d bytes, more than the %d that are allowed", len(text), machine.MaxNote)
	}
	*n.into = text
	return nil
}

// option is a word that a flag takes, and what it means.
type option[T any] struct {
	word  string
	means T
}

// choice is the value of a flag that takes one of a few words.
type choice[T any] struct {
	options []option[T]
	word    string
	into    *T
}

// chooseFlag adds a flag that sets into to what the given word means. Without
// it, word, which may be empty, is in the help as what holds.
func chooseFlag[T any](c *cobra.Command, into *T, name, word, usage string, options ...option[T]) {
	v := &choice[T]{options: options, into: into, word: word}
	if word != "" {
		v.Set(word) // it is one of them
	}
	c.Flags().Var(v, name, usage)
	// It fails for a flag that does not exist only.
	c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(v.words(), cobra.ShellCompDirectiveNoFileComp))
}

// optionsOf are those of a list whose values have names.
func optionsOf[T any](list []T, name func(T) string) (all []option[T]) {
	for _, v := range list {
		all = append(all, option[T]{name(v), v})
	}
	return all
}

func (v *choice[T]) words() []string {
	words := make([]string, len(v.options))
	for i, o := range v.options {
		words[i] = o.word
	}
	return words
}

// String, Set and Type make it the value of a flag.
func (v *choice[T]) String() string { return v.word }

func (v *choice[T]) Type() string { return strings.Join(v.words(), "|") }

func (v *choice[T]) Set(word string) error {
	for _, o := range v.options {
		if o.word == word {
			v.word, *v.into = word, o.means
			return nil
		}
	}
	if near, ok := diag.Nearest(word, v.words()); ok {
		return fmt.Errorf("did you mean %q?", near)
	}
	return fmt.Errorf("it is one of %s", strings.Join(v.words(), ", "))
}
