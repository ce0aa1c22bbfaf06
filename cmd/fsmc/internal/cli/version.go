package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of fsmc, its commit and date, and whether SQLite is built in",
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(s.out, versionLine())
			return err
		},
	}
}

// versionFlag makes --version of the root do the same.
func versionFlag(root *cobra.Command) {
	root.Version = version() // without it cobra does not look at the flag
	root.SetVersionTemplate(versionLine())
	root.Flags().Bool("version", false, "print the same as fsmc version")
}

// Of a release these are set by the linker; see .ci/release.
var (
	release string // such as v0.1.0
	commit  string
	date    string // of the commit, as RFC 3339
)

// built is what a binary says of itself.
type built struct{ version, commit, date string }

func versionLine() string {
	b := thisBuild()
	of := ""
	if b.commit != "" {
		of = ", commit " + b.commit
	}
	if b.date != "" {
		of += " of " + b.date
	}
	return fmt.Sprintf("fsmc %s (%s, %s/%s, %s%s)\n", b.version, runtime.Version(), runtime.GOOS, runtime.GOARCH, storeNote, of)
}

func version() string { return thisBuild().version }

func thisBuild() built {
	info, _ := debug.ReadBuildInfo()
	return buildOf(built{release, commit, date}, info)
}

// buildOf is what the linker was told, and where it was told nothing, what Go has noted:
// the module's version where the binary was built as a dependency or by go install, else
// the commit it was built from, else "unreleased".
func buildOf(told built, info *debug.BuildInfo) built {
	if info == nil {
		info = &debug.BuildInfo{}
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			told.commit = cmp.Or(told.commit, s.Value)
		case "vcs.time":
			told.date = cmp.Or(told.date, s.Value)
		}
	}
	told.commit = told.commit[:min(12, len(told.commit))]
	module := info.Main.Version
	if module == "(devel)" {
		module = ""
	}
	told.version = cmp.Or(told.version, module, told.commit, "unreleased")
	return told
}
