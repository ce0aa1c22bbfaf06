// Package explore walks through everything that a machine can come to, breadth
// first, and makes of it a finite graph, the Product. Every question about paths
// is asked of this one graph, so that rules agree, and the first path is the
// shortest. Past the limit, and in a machine that is broken, the control graph is
// left: see Control.
//
// # What a configuration is
//
// The leaf; which of the visit's activities have ended; whether `done` was handled
// in the visit; which timers are spent; whether `cancel` was taken; the tracked
// data; the counters of `max` and `retry`; the events that may stand deferred
// (language.md, section 7). All else is a free choice of the environment.
//
// # Activities side by side
//
// An activity that ends without leaving the state and without effects changes
// nothing but that it has ended. Such ends commute with each other and with every
// exit, so they are taken in one order, that of the dos, and a leaf with n of them
// has n+1 configurations instead of 2^n. Every exit is still there (before any
// end), and so is the configuration in which all that can end have ended. This is
// a static form of partial-order reduction (Godefroid, Partial-Order Methods for
// the Verification of Concurrent Systems, LNCS 1032, chapter 4). A retry that
// waits counts as running: nothing but time can tell the two apart here.
package explore

// DefaultLimit is the number of configurations past which a machine is not
// explored to its end.
const DefaultLimit = 4_000_000

// edgesEach is the most edges for each configuration of the limit, on average:
// the limit is there to bound memory.
const edgesEach = 8
