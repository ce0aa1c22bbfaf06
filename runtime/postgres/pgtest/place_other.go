//go:build !linux

package pgtest

func place() string { return "" }
