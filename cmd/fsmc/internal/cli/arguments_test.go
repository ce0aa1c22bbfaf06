package cli

import (
	"strings"
	"testing"
)

// TestOtherNames: what a command is called elsewhere leads to one that is there, and is none itself.
func TestOtherNames(t *testing.T) {
	root := newRoot(&streams{})
	for word, name := range otherNames {
		if c, _, err := root.Find([]string{name}); err != nil || c == root {
			t.Errorf("%q stands for %q, which is no command", word, name)
		}
		if err := knownCommand(root, []string{word}); err == nil || !strings.HasSuffix(err.Error(), `did you mean "`+name+`"?`) {
			t.Errorf("of %q it says: %v", word, err)
		}
		for _, c := range root.Commands() {
			if c.Name() == word {
				t.Errorf("%q is a command", word)
			}
		}
	}
}
