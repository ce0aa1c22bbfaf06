package cli

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The files of a new folder, with MACHINE and PACKAGE to be filled in. They end
// in .txt so that the go command does not take them for its own.
//
//go:embed newfiles
var newTemplates embed.FS

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

// home is what the Go module around a new folder has of fsmc.
type home int

const (
	homeReady    home = iota // the folder's Go code compiles there
	homeNoModule             // there is no module
	homeNoFsmc               // there is one, which does not require fsmc, or not as a tool, or is not tidy
)

// modules asks the go command what the module around dir has of fsmc. Where
// there is no go command no module is of use yet.
func modules(ctx context.Context, dir string) home {
	goCommand := func(args ...string) (string, error) {
		c := exec.CommandContext(ctx, "go", args...)
		c.Dir = dir
		out, err := c.Output()
		return strings.TrimSpace(string(out)), err
	}
	if file, err := goCommand("env", "GOMOD"); err != nil || file == "" || file == "/dev/null" || file == "NUL" {
		return homeNoModule
	}
	if _, err := goCommand("list", "github.com/fsmc-dev/fsmc/runtime/fsmtest"); err != nil {
		return homeNoFsmc
	}
	if tools, err := goCommand("list", "tool"); err != nil || !strings.Contains(tools, "github.com/fsmc-dev/fsmc/cmd/fsmc") {
		return homeNoFsmc
	}
	return homeReady
}

const newDone = `made the folder PACKAGE
  PACKAGE.fsm: the machine, where to begin
  PACKAGE.go: its activities in Go, and the go:generate line
  PACKAGE_test.go: a test of both, on a clock of its own
  PACKAGE_fsm.go, PACKAGE_fsm_test.go: generated from the machine
  activities: the same activities as shell scripts
prove it:
  fsmc check --strict --bounds PACKAGE/PACKAGE.fsm
run it:
  fsmc run --db PACKAGE.db --activities PACKAGE/activities --id first --param name=Ada PACKAGE/PACKAGE.fsm
test it:
  go test ./PACKAGE
`

const newInit = `
This folder is in no Go module. fsmc run needs none; for the Go code make one:
  go mod init example.com/PACKAGE
`

const newRequire = `
The Go module here cannot use fsmc yet. fsmc run does not need it; for the Go code:
`

const newReplace = `  go mod edit -require github.com/fsmc-dev/fsmc@v0.0.0 -replace github.com/fsmc-dev/fsmc=CLONE -tool github.com/fsmc-dev/fsmc/cmd/fsmc
  go mod tidy
where CLONE is the folder of your clone of fsmc: the module is not published yet.
`

// tellNew says what was made, and what to do with it.
func (s *streams) tellNew(n newNames, h home) error {
	text := newDone
	switch h {
	case homeNoModule:
		text += newInit + newReplace
	case homeNoFsmc:
		text += newRequire + newReplace
	}
	_, err := fmt.Fprint(s.out, strings.ReplaceAll(text, "PACKAGE", n.pkg))
	return err
}
