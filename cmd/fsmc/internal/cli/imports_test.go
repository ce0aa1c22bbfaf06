//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fsmc-dev/fsmc/lang"
)

// project is a folder with a root, a secret outside it, and links that lead there.
func project(t testing.TB) (root string) {
	t.Helper()
	top := t.TempDir()
	root = filepath.Join(top, "project")
	for name, text := range map[string]string{
		"secret.fsm":               "secret",
		"outside/secret.fsm":       "secret",
		"project/go.mod":           "module project\n",
		"project/main.fsm":         "",
		"project/lib/a.fsm":        "enum A { X }",
		"project/lib/b.fsm":        "enum B { X }",
		"project/lib/b_test.fsm":   "enum T { X }",
		"project/lib/deep/c.fsm":   "enum C { X }",
		"project/lib/notes.txt":    "secret",
		"project/mixed/good.fsm":   "enum G { X }",
		"project/unlinked/ok.fsm":  "",
		"project/folder.fsm/d.fsm": "enum D { X }",
	} {
		path := filepath.Join(top, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	for name, to := range map[string]string{
		"lib/out.txt": "../../secret.fsm", "link.fsm": "../secret.fsm", "away": "../outside", "around": "../project/lib",
		"mixed/bad.fsm": filepath.Join(top, "secret.fsm"), "notes.fsm": "lib/notes.txt", "loop.fsm": "loop.fsm", "inner.fsm": "lib/a.fsm", "up": "..",
	} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Skip(err)
		}
	}
	must(t, syscall.Mkfifo(filepath.Join(root, "pipe.fsm"), 0o600))
	return root
}

// importing is a reader of main.fsm in root.
func importing(t testing.TB, root string) *reader {
	t.Helper()
	r, err := (&streams{}).readSources([]string{filepath.Join(root, "main.fsm")})
	must(t, err)
	return r
}

// TestImportPaths holds which paths lead where, as seen from main.fsm.
func TestImportPaths(t *testing.T) {
	root := project(t)
	for path, want := range map[string]string{
		"lib/a.fsm":                  "lib/a.fsm",
		"./lib//deep/../a.fsm":       "lib/a.fsm",
		"lib":                        "lib/a.fsm lib/b.fsm",
		"lib/":                       "lib/a.fsm lib/b.fsm",
		"folder.fsm":                 "folder.fsm/d.fsm",
		"inner.fsm":                  "inner.fsm",
		"around/a.fsm":               "around/a.fsm",
		"main.fsm":                   "main.fsm",
		"..":                         `leads out of the project, whose root is`,
		"lib/../../project/main.fsm": `leads out of the project, whose root is`,
		"up/secret.fsm":              "leads out of the project, by a symbolic link",
		"up":                         "leads out of the project, by a symbolic link",
		"link.fsm":                   "leads out of the project, by a symbolic link",
		"away/secret.fsm":            "leads out of the project, by a symbolic link",
		"away":                       "leads out of the project, by a symbolic link",
		"mixed":                      `has "bad.fsm", which leads out of the project, by a symbolic link`,
		"notes.fsm":                  "is not a .fsm file",
		"lib/notes.txt":              "is not a .fsm file",
		"pipe.fsm":                   "is not a .fsm file",
		"loop.fsm":                   "is a symbolic link that leads to itself",
		"lib/none.fsm":               "leads nowhere",
		"main.fsm/a.fsm":             "cannot be read: not a directory",
		root + "/lib/a.fsm":          "is an absolute path",
		`lib\a.fsm`:                  `has a "\" in it`,
		"lib/a.fsm\x00.txt":          "leads nowhere",
		strings.Repeat("a", 5000):    "cannot be read: file name too long",
		strings.Repeat("a/", 5000):   "leads nowhere",
	} {
		found, err := importing(t, root).find(filepath.Join(root, "main.fsm"), path)
		var names []string
		for _, src := range found {
			rel, _ := filepath.Rel(root, src.Name)
			names = append(names, filepath.ToSlash(rel))
		}
		got := strings.Join(names, " ")
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.HasPrefix(got, want)) {
			t.Errorf("%.60q: got %q, want %q", path, got, want)
		}
	}
}

// TestImportsOfAFolder holds what one bad file in a folder does, and how many there may be.
func TestImportsOfAFolder(t *testing.T) {
	root := project(t)
	find := func(path string) error {
		_, err := importing(t, root).find(filepath.Join(root, "main.fsm"), path)
		return err
	}
	if os.Getuid() != 0 {
		must(t, os.Chmod(filepath.Join(root, "lib", "b.fsm"), 0))
		if err := find("lib"); err == nil || err.Error() != `has "b.fsm", which may not be read by this user` {
			t.Errorf("a file that may not be read: %v", err)
		}
	}
	from := filepath.Join(root, "main.fsm")
	r := importing(t, root)
	r.imported = maxImports - 1
	if _, err := r.find(from, "lib"); err == nil || err.Error() != `has "b.fsm", which is one of more than 10000 imported files` {
		t.Errorf("more files than may be imported: %v", err)
	}
	r = importing(t, root)
	r.size = maxImported - len("enum A { X }")
	if _, err := r.find(from, "lib"); err == nil || err.Error() != `has "b.fsm", which brings what is imported to more than 128 MiB` {
		t.Errorf("more bytes than may be imported: %v", err)
	}
	if again, err := r.find(from, "lib/a.fsm"); err != nil || len(again) != 1 {
		t.Errorf("a file that has been read counts again: %v", err)
	}
}

// FuzzImportPath holds that no path, however mangled, leads to a text outside the project.
func FuzzImportPath(f *testing.F) {
	for _, path := range []string{"lib", "..", "../secret.fsm", "lib/../../secret.fsm", "up/secret.fsm", "/etc/passwd", "away", "mixed", ".", "", "\x00", `..\secret.fsm`, "lib/.../a.fsm"} {
		f.Add(path)
	}
	root := project(f)
	f.Fuzz(func(t *testing.T, path string) {
		found, err := importing(t, root).find(filepath.Join(root, "main.fsm"), path)
		if (err == nil) != (len(found) > 0) {
			t.Errorf("%d files, %v", len(found), err)
		}
		for _, src := range found {
			if rel, err := filepath.Rel(root, src.Name); err != nil || !filepath.IsLocal(rel) || strings.Contains(string(src.Src), "secret") || !lang.InFolder(filepath.Base(src.Name)) && filepath.Ext(src.Name) != ".fsm" {
				t.Errorf("%q leads to %q: %q", path, src.Name, src.Src)
			}
		}
	})
}
