// Package store is the port to what keeps runs: the interface Store with its rows (store.go),
// filters (filter.go), commits (commit.go), claims (work.go), steps of all runs (feed.go) and errors
// (errors.go, refusals.go), what it offers to those who look after many runs (overview.go, counts.go,
// throughput.go, limits.go), what it may offer besides (abilities.go, tables.go), and what every store
// and engine needs beside it (rows.go, tags.go, each.go, hands.go, clock.go, call.go). A store knows
// leases, sequence numbers and JSON, and nothing of what a step means. One that passes
// runtime/storetest serves every engine.
package store
