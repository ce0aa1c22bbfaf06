package pgtest

import (
	"os"
	"syscall"
)

// place is the folder for clusters: in memory where there is plenty of it, so that no write waits for a disk,
// as no test takes the power away; else the usual one for what is temporary, "".
func place() string {
	const memory, plenty = "/dev/shm", 4 << 30
	var s syscall.Statfs_t
	if info, err := os.Stat(memory); err == nil && info.Mode()&os.ModeSticky != 0 &&
		syscall.Statfs(memory, &s) == nil && s.Bavail*uint64(s.Bsize) >= plenty {
		return memory
	}
	return ""
}
