//go:build !unix && !hook

package cli

import "net"

// listenPrivately listens on a socket. Who can reach it is up to the folder that it is in.
func listenPrivately(path string) (net.Listener, error) { return net.Listen("unix", path) }
