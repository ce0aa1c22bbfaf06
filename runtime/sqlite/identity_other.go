//go:build cgo && !linux

package sqlite

import "os"

// identity says which file is at a name.
type identity struct{ os.FileInfo }

func identify(name string) (i identity, size int64, err error) {
	info, err := os.Stat(name)
	if err == nil {
		size = info.Size()
	}
	return identity{info}, size, err
}

func (i identity) same(other identity) bool { return os.SameFile(i.FileInfo, other.FileInfo) }
