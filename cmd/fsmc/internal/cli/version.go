package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of fsmc and Go, and whether SQLite is built in",
		Args:  arguments(),
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

func versionLine() string {
	return fmt.Sprintf("fsmc %s (%s, %s/%s, %s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, storeNote)
}

// version is the module's version where the binary was built as a dependency
// or by go install, else the commit it was built from, else "unreleased".
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unreleased"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return s.Value[:12]
		}
	}
	return "unreleased"
}
