// Package walbuffer is a file layer of SQLite that writes a transaction to the
// write-ahead log with one call to the system, where SQLite makes two for each
// page. For a step of a run that is one call instead of eight.
package walbuffer
