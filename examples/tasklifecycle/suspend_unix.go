//go:build unix

package main

import (
	"os"
	"syscall"
)

// suspend stops a process where it is.
func suspend(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }

// wake lets it go on.
func wake(p *os.Process) error { return p.Signal(syscall.SIGCONT) }
