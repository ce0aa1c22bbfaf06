// Package loadtest holds the benchmarks of the runtime as a whole: real machines
// on real SQLite files that sync each step. What they have measured, and how to
// repeat it, is in docs/performance.md.
package loadtest
