//go:build linux && cgo

package walbuffer

// The symbols of SQLite are in the driver's object files, which the last link
// brings together with ours; see vfs.c.

// #cgo CFLAGS: -std=gnu99 -Wall
// #include <stdlib.h>
// const char *walbuffer_register(const char *base);
import "C"

import (
	"sync"
	"unsafe"

	_ "github.com/mattn/go-sqlite3" // brings SQLite
)

var mu sync.Mutex

// Over gives the name of the layer that buffers the log and hands all else to
// the one named base; empty stands for the system's own. It is for connections
// with synchronous=FULL alone: the log is written when SQLite syncs it. Where
// the layer cannot be had, Over gives base.
func Over(base string) string {
	mu.Lock()
	defer mu.Unlock()
	name := C.CString(base)
	defer C.free(unsafe.Pointer(name))
	if layer := C.walbuffer_register(name); layer != nil {
		return C.GoString(layer)
	}
	return base
}
