package cli

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The files of a new folder, with MACHINE and PACKAGE to be filled in. They end
// in .txt so that the go command does not take them for its own.
//
//go:embed newfiles
var newTemplates embed.FS

// newFile is a file to be made.
type newFile struct {
	name       string // below the new folder
	text       string
	executable bool
}

// newFiles are all files but those that are generated.
func newFiles(n newNames) ([]newFile, error) {
	fill := strings.NewReplacer("MACHINE", n.machine, "PACKAGE", n.pkg)
	var files []newFile
	err := fs.WalkDir(newTemplates, "newfiles", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := newTemplates.ReadFile(path)
		name := strings.TrimSuffix(strings.TrimPrefix(path, "newfiles/"), ".txt")
		files = append(files, newFile{
			name:       fill.Replace(filepath.FromSlash(name)),
			text:       fill.Replace(string(text)),
			executable: strings.HasPrefix(name, "activities/"),
		})
		return err
	})
	return files, err
}

// create writes the file into dir. It fails where there is one.
func (f newFile) create(dir string) error {
	path := filepath.Join(dir, f.name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if f.executable {
		mode = 0o755
	}
	return createFile(path, []byte(f.text), mode)
}
