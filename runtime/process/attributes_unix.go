//go:build unix && !linux

package process

import "syscall"

// attributes make a process the leader of a group. It outlives an engine that
// was killed: there is nothing here like Linux's parent death signal.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// ended is not known here.
func (g group) ended() bool { return false }
