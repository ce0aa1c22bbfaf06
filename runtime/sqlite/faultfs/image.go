//go:build linux && cgo

package faultfs

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// sector is what a disk writes whole or not at all.
const sector = 512

// Lost is what a disk may hold of each file when the power fails after the first
// n calls of a record that began with the files as given: all that was synced,
// and of what was not any part, in any order, down to single sectors. Which, rnd
// chooses. A file that was deleted may still be there until something is synced:
// file systems keep the order of what happens to their directories.
//
// That is the model of SQLite's own crash tests (sqlite.org/testing.html,
// section 3.3).
func Lost(before map[string][]byte, ops []Op, n int, rnd *rand.Rand) map[string][]byte {
	disk := map[string]*medium{}
	at := func(name string) *medium {
		if disk[name] == nil {
			disk[name] = &medium{synced: slices.Clone(before[name]), exists: before[name] != nil}
		}
		return disk[name]
	}
	for name := range before {
		at(name)
	}
	for i := range ops[:n] {
		op := &ops[i]
		switch op.Kind {
		case Write, Truncate:
			f := at(op.File)
			if f.deleted {
				*f = medium{}
			}
			f.pending = append(f.pending, op)
		case Sync:
			f := at(op.File)
			for _, change := range f.pending {
				f.synced = applied(f.synced, change)
			}
			f.pending, f.exists = nil, true
			maps.DeleteFunc(disk, func(_ string, f *medium) bool { return f.deleted })
		case Delete:
			at(op.File).deleted = true
		}
	}
	left := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(disk)) {
		f := disk[name]
		uncertain := f.deleted || !f.exists
		if !uncertain || rnd.IntN(2) == 0 {
			left[name] = f.lose(rnd)
		}
	}
	return left
}

// medium is a file: what is surely on the disk, and what may be.
type medium struct {
	synced  []byte
	pending []*Op
	exists  bool // surely
	deleted bool // and perhaps still there
}

// lose applies some of what was pending.
func (f *medium) lose(rnd *rand.Rand) []byte {
	content := f.synced
	keep := rnd.Float64() // sometimes nearly all arrives, sometimes hardly anything
	for _, op := range f.pending {
		if op.Kind == Truncate {
			if rnd.Float64() < keep {
				content = applied(content, op)
			}
			continue
		}
		for from := 0; from < len(op.Data); {
			to := min(len(op.Data), from+sector-int((op.Offset+int64(from))%sector))
			if rnd.Float64() < keep {
				content = applied(content, &Op{Kind: Write, Offset: op.Offset + int64(from), Data: op.Data[from:to]})
			}
			from = to
		}
	}
	return content
}

func applied(content []byte, op *Op) []byte {
	size := op.Size
	if op.Kind == Write {
		size = max(int64(len(content)), op.Offset+int64(len(op.Data)))
	}
	switch n := size - int64(len(content)); {
	case n > 0:
		content = append(content, make([]byte, n)...)
	case n < 0:
		content = content[:size]
	}
	if op.Kind == Write {
		copy(content[op.Offset:], op.Data)
	}
	return content
}
