//go:build unix && !hook

package cli

import (
	"net"
	"syscall"
)

// listenPrivately listens on a socket that nobody but its owner can reach, from its beginning on: a mode
// that is set after that leaves others a moment. What else this process creates meanwhile is private, too.
func listenPrivately(path string) (net.Listener, error) {
	defer syscall.Umask(syscall.Umask(0o177))
	return net.Listen("unix", path)
}
