// Package sqlite keeps runs in one SQLite file, durably: it is the store that
// fsmc uses unless told otherwise, and the only package, with those below it,
// that imports a SQLite driver. A binary built without cgo has everything of it
// but the database: Open then says so.
//
// One connection writes, and callers take turns to use it. Who has the turn runs
// all requests that wait in one transaction and answers them after the COMMIT,
// so that many callers share one sync of the disk ("group commit"; writer.go).
// A goroutine of each store that writes moves the write-ahead log into the
// database beside them (walcheckpoint.go). Readers have their own connections,
// which cannot write. Several processes may open one file on one machine; a
// network file system is no place for it.
//
// The file can be read with the sqlite3 shell: `.schema` shows what each
// column means, and the views runs_v, history_v, tasks_v, timers_v and
// outbox_v show times that people can read.
package sqlite
