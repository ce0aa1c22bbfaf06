//go:build linux && cgo

// Package faultfs is a file layer of SQLite for tests. It stands between SQLite
// and the system, records every change of a file, so that what a power loss
// would leave can be put together afterwards, and makes a chosen call fail, or hang.
//
// There is one record and one plan of failures in a process: tests that use
// them do not run side by side.
package faultfs

// The symbols of SQLite are in the driver's object files, which the last link
// brings together with ours.

// #cgo CFLAGS: -std=gnu99 -Wall
// #cgo LDFLAGS: -Wl,--unresolved-symbols=ignore-in-object-files
// #include "vfs.h"
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	_ "github.com/mattn/go-sqlite3" // brings SQLite
)

// Name is what SQLite knows the layer as: the vfs parameter of a file's URI.
const Name = "faultfs"

// Register makes the layer known to SQLite, once.
var Register = sync.OnceValue(func() error {
	if code := C.faultfs_register(); code != 0 {
		return fmt.Errorf("SQLite does not take the file layer: code %d", code)
	}
	return nil
})

// Kind is a kind of call; kinds can be joined with |.
type Kind int

const (
	Read     Kind = C.FAULT_READ
	Write    Kind = C.FAULT_WRITE
	Sync     Kind = C.FAULT_SYNC
	Truncate Kind = C.FAULT_TRUNCATE
	Delete   Kind = C.FAULT_DELETE // recorded, never failed
	Marked   Kind = C.FAULT_MARK   // no call: see Mark
)

// Codes of SQLite with which a call can fail.
const (
	Full        = 13
	IOErrRead   = 10 | 1<<8
	IOErrWrite  = 10 | 3<<8
	IOErrSync   = 10 | 4<<8
	IOErrResize = 10 | 6<<8
)

// Op is a recorded call that succeeded.
type Op struct {
	Kind   Kind
	File   string // as SQLite opened it
	Offset int64  // of a write; of a mark, its number
	Size   int64  // of a file, after a truncation
	Data   []byte // of a write
}

// Record starts an empty record of all calls that change a database, its
// journal or its log.
func Record() { C.faultfs_record(1) }

// Mark puts a number into the record, such as that of a step that has just been
// acknowledged.
func Mark(number int64) { C.faultfs_mark(C.int64_t(number)) }

// Recorded ends recording and returns the calls in their order.
func Recorded() []Op {
	C.faultfs_record(0)
	bytes := make([]byte, int(C.faultfs_log_size()))
	if len(bytes) == 0 {
		return nil
	}
	C.faultfs_log_copy(unsafe.Pointer(&bytes[0]))
	var ops []Op
	for len(bytes) > 0 {
		var head C.faultfs_op
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&head)), unsafe.Sizeof(head)), bytes)
		bytes = bytes[unsafe.Sizeof(head):]
		op := Op{Kind: Kind(head.kind), Offset: int64(head.offset), Size: int64(head.size)}
		op.File = C.GoString(C.faultfs_file_name(head.file))
		if op.Kind == Write {
			op.Data, bytes = bytes[:op.Size], bytes[op.Size:]
		}
		ops = append(ops, op)
	}
	return ops
}

// Fail lets the n-th call of the kinds fail with a code of SQLite, counted from
// 1 and from now, and with forever all that come after it. With n of 0 the calls
// are only counted.
func Fail(kinds Kind, n int, forever bool, code int) {
	last := C.int(0)
	if forever {
		last = 1
	}
	C.faultfs_fail(C.int(kinds), C.int64_t(n), last, C.int(code))
}

// Hold lets all calls of the kinds hang, as on a disk that does not answer, until it is
// called with others, or none.
func Hold(kinds Kind) { C.faultfs_hold(C.int(kinds)) }

// Waiting is how many calls hang.
func Waiting() int { return int(C.faultfs_waiting()) }

// Seen is how many calls of the kinds there were since Fail.
func Seen() int { return int(C.faultfs_seen()) }
