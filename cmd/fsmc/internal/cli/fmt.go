package cli

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/format"
	"github.com/fsmc-dev/fsmc/lang/token"
)

func newFmt(s *streams) *cobra.Command {
	f := formatter{streams: s}
	c := &cobra.Command{
		Use:   "fmt PATH...",
		Short: "Format files in place",
		Long: `Fmt rewrites files in the canonical form. It keeps comments, and never changes the
meaning. It does not change a file with syntax errors. It formats standard input
(-) to standard output.

Exit status 1: a file has syntax errors; or, with --check or --diff, a file is not
in the canonical form.`,
		Example: `  fsmc fmt .
  fsmc fmt --diff review.fsm`,
		RunE: func(_ *cobra.Command, paths []string) error { return f.run(paths) },
	}
	c.Flags().BoolVar(&f.check, "check", false, "write nothing; list the files that would change; exit with 1 if there is one")
	c.Flags().BoolVar(&f.diff, "diff", false, "write nothing; print the changes; exit with 1 if there is one")
	c.Flags().BoolVar(&f.stdout, "stdout", false, "print the result, and write no file")
	c.MarkFlagsMutuallyExclusive("check", "stdout")
	c.MarkFlagsMutuallyExclusive("diff", "stdout")
	return c
}

type formatter struct {
	*streams
	check, diff, stdout bool
}

func (f *formatter) run(paths []string) error {
	r, err := f.readFiles(paths, lang.IsSource)
	if err != nil {
		return err
	}
	var found error
	for _, src := range r.sources {
		switch err := f.one(src); {
		case errors.Is(err, errFinding):
			found = errFinding
		case err != nil:
			return err
		}
	}
	return found
}

func (f *formatter) one(src lang.Source) error {
	after, list := lang.Format(src.Name, src.Src)
	if list.HasErrors() {
		file := token.NewFile(src.Name, src.Src)
		return f.refuse(list, func(string) *token.File { return file })
	}
	same := bytes.Equal(src.Src, after)
	switch {
	case f.stdout || src.Name == standardInput && !f.check && !f.diff:
		return f.write("", after)
	case same:
		return nil
	case f.check || f.diff:
		return f.show(src, after)
	}
	return f.write(src.Name, after)
}

// show says that src is not in canonical form.
func (f *formatter) show(src lang.Source, after []byte) error {
	if f.check {
		fmt.Fprintln(f.out, src.Name)
	}
	if f.diff {
		f.out.Write(format.Diff(src.Name, src.Src, after))
	}
	return errFinding
}
