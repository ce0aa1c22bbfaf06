// Package reliability holds the tests that break things on purpose: processes
// killed between any two writes and at random moments, workers that are stopped
// and go on when their work is another's, clocks that jump, stores that fail,
// machines and faults made at random. After each the same invariants are looked
// for in the database, and in what the outside world has seen: invariants_test.go.
//
// What is done, how often, and with what result is in docs/reliability.md, whose
// figures docs/reliability.sh makes again.
package reliability
