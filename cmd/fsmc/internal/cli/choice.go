package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/lang/diag"
)

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
