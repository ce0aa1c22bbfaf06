//go:build unix && cgo

package sqlite

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// The bytes of a database that SQLite locks: whoever has it open holds one of them
// (sqlite.org/src, os.h, PENDING_BYTE).
const lockStart, lockLength = 0x40000000, 512

// hold locks the database at path as SQLite does for itself alone, until free is
// called: whoever opens it meanwhile finds it busy. Where another process has it open
// that is ErrInUse. Where there is no file there is nothing to hold.
func hold(path string) (free func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return func() error { return nil }, nil
	}
	if err != nil {
		return nil, err
	}
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: lockStart, Len: lockLength}
	switch err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &lock); {
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EACCES):
		return nil, errors.Join(ErrInUse, f.Close())
	case err != nil:
		return nil, errors.Join(err, f.Close())
	}
	return f.Close, nil
}

// alone is ErrLinked where a file has several names.
func alone(file string) error {
	info, err := os.Stat(file)
	if err == nil && info.Sys().(*syscall.Stat_t).Nlink > 1 {
		err = ErrLinked
	}
	return err
}
