//go:build !unix && cgo

package sqlite

// hold does nothing: such systems do not let a file be replaced that is open.
func hold(string) (free func() error, err error) { return func() error { return nil }, nil }

// alone does not know how many names a file has.
func alone(string) error { return nil }
