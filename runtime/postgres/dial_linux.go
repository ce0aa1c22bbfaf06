package postgres

import "syscall"

// tcpUserTimeout is for how long what was sent may be without an acknowledgement, in milliseconds: tcp(7).
const tcpUserTimeout = 18

// limitSilence sets this limit where there is one: a Unix socket has none, nor does every system that looks like Linux.
func limitSilence(_, _ string, c syscall.RawConn) error {
	return c.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(silentFor.Milliseconds()))
	})
}
