//go:build cgo && !linux

package sqlite

import "os"

// identity says which file is at a name.
type identity struct{ os.FileInfo }

func identify(name string) (identity, error) {
	info, err := os.Stat(name)
	return identity{info}, err
}

func (i identity) same(other identity) bool { return os.SameFile(i.FileInfo, other.FileInfo) }
