// Package editor tests what editors get beside the language server: grammars, settings
// and an extension. Tests that need Node say so aloud where it, or what `npm ci` in
// editor/vscode installs, is not there.
package editor

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/editor/internal/machines"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// sound are the machines of the repository with no findings of syntax and names.
func sound(t *testing.T) []machines.Machine {
	t.Helper()
	all := machines.Sound(langtest.Repository(t, "..", ".txtar"))
	if len(all) < 150 {
		t.Fatalf("there are %d sound machines: the test sees too little", len(all))
	}
	return all
}

// node runs a script with Node and the packages of editor/vscode, and gives what it prints.
func node(t *testing.T, input []byte, args ...string) []byte {
	t.Helper()
	modules, err := filepath.Abs(filepath.Join("vscode", "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("THE EDITORS WERE NOT TESTED: there is no node")
	}
	if _, err := os.Stat(modules); err != nil {
		t.Skip("THE EDITORS WERE NOT TESTED: run npm ci in editor/vscode")
	}
	cmd := exec.CommandContext(t.Context(), "node", args...)
	cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
	cmd.Stdin = bytes.NewReader(input)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("node %s: %v\n%s%s", strings.Join(args, " "), err, out.Bytes(), errs.Bytes())
	}
	return out.Bytes()
}
