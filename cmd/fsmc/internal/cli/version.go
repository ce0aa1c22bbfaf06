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
		Short: "Print the version of fsmc, of Go, and whether SQLite is built in",
		Args:  arguments(),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(s.out, "fsmc %s (%s, %s/%s, %s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, storeNote)
			return err
		},
	}
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
