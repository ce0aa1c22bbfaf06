//go:build !linux || !cgo

package walbuffer

// Over gives base: the layer is made for Linux.
func Over(base string) string { return base }
