package cli

import (
	"errors"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/describe"
)

func newNew(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "new NAME",
		Short: "Make a folder with a small machine that runs",
		Long: `New makes a folder with a small machine called NAME. The machine prepares a text
and delivers it: two activities with results and failures, bounded retries, a
deadline and a published message. Change it into your own.

The folder has the activities twice: as shell scripts for fsmc run, and in Go. It
also has the Go code generated from the machine, a test, and the go:generate line
that updates the code. All of it passes fsmc check --strict, go vet and go test.

The folder and the Go package have the name of the machine in small letters. New
overwrites nothing: the folder must be empty, or must not exist.`,
		Example: `  fsmc new Invoice
  fsmc new order_review`,
		RunE: func(c *cobra.Command, args []string) error {
			n, err := nameNew(args[0])
			if err != nil {
				return err
			}
			if err := s.makeNew(n); err != nil {
				return err
			}
			return s.tellNew(n, modules(c.Context(), n.pkg))
		},
	}
}

// newNames are the names in a new folder.
type newNames struct {
	machine string // "OrderReview"
	pkg     string // "orderreview": the package, its folder and its files
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	// devices are names for which Go refuses an import path on every system.
	devices = regexp.MustCompile(`^(con|prn|aux|nul|com[1-9]|lpt[1-9])$`)
)

// unfit are packages that the go command treats in a way of its own, and why.
var unfit = map[string]string{
	"main":     "Go takes it for a program",
	"vendor":   "Go keeps copies of other modules in it",
	"testdata": "Go ignores it",
	"internal": "Go lets no other folder import it",

	"documentation": "Go ignores it",
}

// longestNew is how many characters a name may have: the file systems in use
// take file names of 255 bytes, and the name stands in those of several files.
const longestNew = 100

// nameNew makes the names out of what the user has said.
func nameNew(name string) (newNames, error) {
	if len(name) > longestNew {
		return newNames{}, fmt.Errorf("name %q is %d characters long: use at most %d, because files have its name", describe.Plain(name, 30), len(name), longestNew)
	}
	if !identifier.MatchString(name) {
		return newNames{}, fmt.Errorf("name %q cannot be the name of a machine: use letters, digits and underscores, such as %q", name, nameLike(name))
	}
	n := newNames{machine: ir.Exported(name)}
	if n.machine == "" || n.machine[0] < 'A' || n.machine[0] > 'Z' {
		return newNames{}, fmt.Errorf(`name %q does not begin with a letter: use one that does, such as "OrderReview"`, name)
	}
	n.pkg = strings.ToLower(n.machine)
	if token.IsKeyword(n.pkg) {
		return newNames{}, fmt.Errorf("name %q cannot be a Go package: %q is a keyword of Go; use %q", name, n.pkg, n.machine+"Flow")
	}
	why := unfit[n.pkg]
	if devices.MatchString(n.pkg) {
		why = "Windows has a device of that name"
	}
	if why != "" {
		return newNames{}, fmt.Errorf("name %q cannot be a folder of Go code: %s; use %q", name, why, n.machine+"Flow")
	}
	return n, nil
}

var (
	notInNames = regexp.MustCompile(`[^A-Za-z0-9]+`)
	digits     = regexp.MustCompile(`^[0-9_]+`)
)

// nameLike is a name that can be used, as near as possible to one that cannot.
func nameLike(name string) string {
	like := ir.Exported(digits.ReplaceAllString(notInNames.ReplaceAllString(name, "_"), ""))
	if like == "" {
		return "OrderReview"
	}
	if _, err := nameNew(like); err != nil {
		return like + "Flow"
	}
	return like
}

// makeNew writes the folder: nothing where a file is in the way.
func (s *streams) makeNew(n newNames) error {
	switch old, err := os.ReadDir(n.pkg); {
	case err == nil && len(old) > 0:
		return findingf("folder %q exists and is not empty: nothing was changed", n.pkg)
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return findingf("%q exists and is no folder: nothing was changed", n.pkg)
	}
	files, err := newFiles(n)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := f.create(n.pkg); err != nil {
			return fmt.Errorf("file %q cannot be written: %w", filepath.Join(n.pkg, f.name), reason(err))
		}
	}
	g := &generator{streams: s, pkg: n.pkg, tests: true}
	return g.run([]string{filepath.Join(n.pkg, n.pkg+".fsm")})
}
