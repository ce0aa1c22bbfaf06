package process

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"
)

// unfit are the executables that could not be started for what they are: in a format
// that the system does not know, with an interpreter that is away. Such a one is not
// offered again until its file changes, or unfitFor has passed: so its attempts wait
// to be claimed, where `health` sees them, and are not claimed and released each second.
type unfit struct {
	mu    sync.Mutex
	files map[string]misfit // by path
}

type misfit struct {
	why   string
	file  fs.FileInfo
	until time.Time
}

const unfitFor = 3 * time.Minute

var misfits unfit

// note remembers why the executable at path, which was as info says, could not be
// started, if it is for what it is, and not for what the system lacks, or because it is
// being written.
func (u *unfit) note(path string, info fs.FileInfo, err error) {
	none, unstarted := err.(startError)
	if !unstarted || info == nil {
		return
	}
	for _, passing := range []error{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE, syscall.ETXTBSY} {
		if errors.Is(none.cause, passing) {
			return
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.files == nil {
		u.files = map[string]misfit{}
	}
	u.files[path] = misfit{none.why, info, time.Now().Add(unfitFor)}
}

// why says why the executable at path, which is as info says, is not offered; nothing
// where it is.
func (u *unfit) why(path string, info fs.FileInfo) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	m, known := u.files[path]
	if !known {
		return ""
	}
	same := os.SameFile(m.file, info) && m.file.Size() == info.Size() && m.file.Mode() == info.Mode() && m.file.ModTime().Equal(info.ModTime())
	if !same || time.Now().After(m.until) {
		delete(u.files, path)
		return ""
	}
	return m.why
}
