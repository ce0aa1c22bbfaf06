//go:build unix && !hook

package cli

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestListenPrivately: a socket has its mode without anybody setting it afterwards, and the
// process makes other files as before.
func TestListenPrivately(t *testing.T) {
	dir := t.TempDir()
	before := syscall.Umask(0o022)
	defer syscall.Umask(before)
	l, err := listenPrivately(filepath.Join(dir, "s"))
	must(t, err)
	defer l.Close()
	if info, err := os.Stat(filepath.Join(dir, "s")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if mask := syscall.Umask(0o022); mask != 0o022 {
		t.Errorf("umask is %o", mask)
	}
}
