//go:build unix && !hook

package cli

import (
	"net"
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

// TestAddressInUse: a server that cannot listen says why in one sentence, without the address again.
func TestAddressInUse(t *testing.T) {
	first, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	for addr, want := range map[string]string{
		first.Addr().String():             ": another server listens there: stop it, or name another address",
		"127.0.0.1:99999":                 ": address 99999: invalid port",
		"unix:" + t.TempDir() + "/none/s": ": bind: no such file or directory",
		"unix:" + file:                    ": a file is there, and no socket: name another path",
	} {
		_, err := (&serving{addr: addr}).bind()
		if err == nil || err.Error() != "--addr "+addr+want {
			t.Errorf("%s: %v", addr, err)
		}
	}
}
