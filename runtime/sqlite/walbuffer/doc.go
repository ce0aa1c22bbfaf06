// Package walbuffer is a file layer of SQLite that writes a transaction to the
// write-ahead log with one call to the system, where SQLite makes two for each
// page: for a step of a run that is one call instead of six. It lays the log out
// ahead, so that few syncs have to write that the file has grown.
package walbuffer
