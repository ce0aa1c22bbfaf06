//go:build unix

package pgtest

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// unprivileged has a command run as a user without rights, and gives that user a folder: the
// server refuses to run as root. Any other user runs it as itself.
func unprivileged(c *exec.Cmd, dir string) error {
	if os.Getuid() != 0 {
		return nil
	}
	uid, gid := 65534, 65534
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ = strconv.Atoi(u.Uid)
			gid, _ = strconv.Atoi(u.Gid)
			break
		}
	}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return os.Chown(dir, uid, gid)
}
