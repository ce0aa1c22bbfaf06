package postgres

import (
	"strings"
	"syscall"
)

// tcpUserTimeout is for how long what was sent may be without an acknowledgement, in milliseconds: tcp(7).
const tcpUserTimeout = 18

func limitSilence(network, _ string, c syscall.RawConn) (err error) {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	if failed := c.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(silentFor.Milliseconds()))
	}); failed != nil {
		return failed
	}
	return err
}
