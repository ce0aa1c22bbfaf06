//go:build unix

package process

import (
	"io"
	"os"
	"sync"
	"syscall"
)

// errorPipe passes on what a process writes to standard error, and can be asked to have
// passed on all that was written before: what a process says of an attempt and then the
// answer come by two ways.
type errorPipe struct {
	from, theirs *os.File
	to           io.Writer

	mu  sync.Mutex // held while something is passed on
	buf []byte
}

// maxCatchUp is how much is passed on for who asks: a process that goes on writing
// keeps no one.
const maxCatchUp = 1 << 20

// pipeErrors gives what is to be the standard error of a process. Close ends it.
func pipeErrors(to io.Writer) (*errorPipe, io.Writer, error) {
	from, theirs, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	return &errorPipe{from: from, theirs: theirs, to: to, buf: make([]byte, 32<<10)}, theirs, nil
}

// started is called when the process has its end.
func (p *errorPipe) started() {
	_ = p.theirs.Close()
	go p.pass()
}

// pass passes on what comes until the pipe is closed at one end.
func (p *errorPipe) pass() {
	raw, err := p.from.SyscallConn()
	for open := true; open && err == nil; {
		err = raw.Read(func(fd uintptr) bool {
			n, empty := p.some(fd)
			open = empty || n > 0
			return !empty // else it is called when there is more
		})
	}
}

// catchUp passes on what has been written.
func (p *errorPipe) catchUp() {
	raw, err := p.from.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		for passed := 0; passed < maxCatchUp; {
			n, _ := p.some(fd)
			if n <= 0 {
				return
			}
			passed += n
		}
	})
}

// some passes on some of it, and reports whether there is none now.
func (p *errorPipe) some(fd uintptr) (n int, empty bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := syscall.Read(int(fd), p.buf)
	for err == syscall.EINTR {
		n, err = syscall.Read(int(fd), p.buf)
	}
	if n > 0 {
		_, _ = p.to.Write(p.buf[:n])
	}
	return n, err == syscall.EAGAIN
}

// close passes on what the process has left, and ends. What has left its group may hold the
// other end, and is not waited for.
func (p *errorPipe) close() {
	p.catchUp()
	_ = p.from.Close()
	_ = p.theirs.Close()
}
