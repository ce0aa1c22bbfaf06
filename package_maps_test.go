package fsmc_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	manyFiles = 20 // up to how many files a package is read without a map
	fewNamed  = 4  // how many files a map names at least
)

var (
	// mapped is a file in a map, or several: replay*.go.
	mapped = regexp.MustCompile(`[a-z0-9_*/]+\.go\b`)
	// bySubject says of files that are not named how they are called.
	bySubject = regexp.MustCompile(`\b(a|one) (file|page) (for )?each\b|\beach [a-z ]+ has a file\b`)
)

// TestMaps holds that the comment of a package of many files is a map of them, and a true one: it
// names no file that is not there, and at least half of them; or it names some, and says that
// there is one for each of what the package is about.
func TestMaps(t *testing.T) {
	files := map[string][]string{} // by folder
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if err == nil && filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go") {
			folder, file := filepath.Split(path)
			files[folder] = append(files[folder], file)
		}
		return err
	})
	must(t, err)
	large := 0
	for folder, names := range files {
		if len(names) <= manyFiles {
			continue
		}
		large++
		var known []string
		comment := strings.ToLower(strings.Join(strings.Fields(packageComment(t, folder, names)), " "))
		for _, pattern := range mapped.FindAllString(comment, -1) {
			if elsewhere, err := filepath.Glob(pattern); strings.Contains(pattern, "/") && err == nil && len(elsewhere) > 0 {
				continue
			}
			here := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
				fits, err := filepath.Match(pattern, name)
				return err != nil || !fits
			})
			if len(here) == 0 {
				t.Errorf("the map of %s names %s, which is not there", folder, pattern)
			}
			known = append(known, here...)
		}
		missing := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(known, name) })
		if named := len(names) - len(missing); 2*named < len(names) && (named < fewNamed || !bySubject.MatchString(comment)) {
			t.Errorf("%s has %d files, and its package comment is no map of them; it does not name %s", folder, len(names), strings.Join(missing, " "))
		}
	}
	if large < 10 {
		t.Errorf("only %d packages have more than %d files", large, manyFiles)
	}
}

// packageComment is what stands above `package` in the files of a folder.
func packageComment(t *testing.T, folder string, names []string) string {
	var text strings.Builder
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, name), nil, parser.ParseComments|parser.PackageClauseOnly)
		must(t, err)
		text.WriteString(file.Doc.Text())
	}
	return text.String()
}
