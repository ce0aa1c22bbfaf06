//go:build cgo

package cli

const storeNote = "with SQLite"
