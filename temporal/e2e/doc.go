// Package e2e holds the tests of package temporal on a server of Temporal: one of the test's own process, with
// SQLite in memory. It is a module of its own, since the server is 1,500 packages; there is nothing to import.
package e2e
