//go:build !cgo

package cli

const storeNote = "built without cgo: no SQLite, so run, send and the commands that look at runs do not work"
