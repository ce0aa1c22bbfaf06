// Package runtime runs machines so that a crash loses nothing.
//
// At its centre is one pure function: Machine.Step takes a snapshot of a run,
// an input, the time and a way to ask host guards, and gives the next
// snapshot, the commands that make it real, and the history record that says
// what happened. It has no clock, no randomness, no I/O and no goroutines.
// Everything durable stands around it: the Engine loads a run from a Store,
// steps it, and commits snapshot, history, tasks, timers and messages in one
// atomic write.
//
// A Definition is what `fsmc gen` and `fsmc run` compile a machine to; it is
// plain data, stored with the runs that use it, and needs no compiler.
package runtime
