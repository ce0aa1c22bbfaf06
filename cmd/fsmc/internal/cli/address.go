package cli

import (
	"os"
	"path/filepath"
	"regexp"
)

// What is in an address of a server, however it is misspelt: a scheme, a password that has a name, or one in
// front of a host.
var (
	addressWords = regexp.MustCompile(`(?i)://|pass[a-z]*\s*=|^\s*(postgres(ql)?|temporal)(:|//)`)
	userAndHost  = regexp.MustCompile(`(?s):.*@`)
)

// isAddress reports whether a text that should be a file, and is none, is meant as the address of a server. No
// message says such a text, because there may be a password in it.
func isAddress(text string) bool {
	if _, err := os.Stat(text); err == nil {
		return false
	}
	folder, name := filepath.Split(text)
	if _, err := os.Stat(folder); err != nil { // else it may be called so itself
		name = text
	}
	return addressWords.MatchString(text) || userAndHost.MatchString(name)
}
