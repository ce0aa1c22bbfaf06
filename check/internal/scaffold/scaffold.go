package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/check/internal/rulelist"
)

// The files of a new rule, with the words in capitals to be filled in. They
// end in .txt so that the go command does not take them for its own.
//
//go:embed template
var templates embed.FS

var kebab = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

// scaffold makes the folder of rule name below the folder check, and lists it.
// It touches nothing where the folder exists.
func scaffold(check, name, summary string) error {
	if !kebab.MatchString(name) {
		return fmt.Errorf("%q is not a rule's name: small letters, words joined by hyphens", name)
	}
	dir := filepath.Join(check, "rule", name)
	if _, err := os.Stat(dir); err == nil {
		return fmt.Errorf("rule %q exists already", name)
	}
	fill := strings.NewReplacer(
		"SUFFIX", strconv.Quote(": "+summary), "QUOTED", strconv.Quote(summary), "SUMMARY", summary,
		"STATE", "Bad"+rulelist.Package(name), "NAME", name, "PACKAGE", rulelist.Package(name),
	)
	err := fs.WalkDir(templates, "template", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := templates.ReadFile(path)
		if err != nil {
			return err
		}
		file := strings.TrimSuffix(strings.TrimPrefix(path, "template/"), ".txt")
		file = filepath.Join(dir, fill.Replace(filepath.FromSlash(file)))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return os.WriteFile(file, []byte(fill.Replace(string(text))), 0o644)
	})
	if err != nil {
		return err
	}
	return rulelist.Write(check)
}
