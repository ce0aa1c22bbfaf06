//go:build cgo

package sqlite

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// identity says which file is at a name: its device and its inode.
type identity struct {
	major, minor uint32
	inode        uint64
}

// identify asks for the inode and the size of the file at name and for nothing else. Where a file's
// times are asked for, as os.Stat does, Linux since 6.13 gives the next write a time of
// its own, which the sync that follows has to write out as well: the look before each
// transaction cost a step of a lone caller half as much again.
func identify(name string) (i identity, size int64, err error) {
	var found unix.Statx_t
	for {
		switch err := unix.Statx(unix.AT_FDCWD, name, 0, unix.STATX_INO|unix.STATX_SIZE, &found); err {
		case nil:
			return identity{found.Dev_major, found.Dev_minor, found.Ino}, int64(found.Size), nil
		case unix.EINTR:
		default:
			return identity{}, 0, &fs.PathError{Op: "statx", Path: name, Err: err}
		}
	}
}

func (i identity) same(other identity) bool { return i == other }
