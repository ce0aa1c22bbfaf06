//go:build !unix

package process

import "io"

// errorPipe is none: what a process writes may arrive after what it writes to standard
// output later.
type errorPipe struct{}

func pipeErrors(to io.Writer) (*errorPipe, io.Writer, error) { return nil, to, nil }

func (*errorPipe) started() {}
func (*errorPipe) catchUp() {}
func (*errorPipe) close()   {}
