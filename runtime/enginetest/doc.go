// Package enginetest plays the same tape on several engines, and compares what they make of
// it: the histories, snapshots, messages and refusals must be equal in every bit, but for the
// names of workers.
//
// A Tape is a machine, what a run of it is sent from outside and when, and what its activities
// and guards do. All of it follows from a seed: an attempt does what its key, its number
// and how often it was called say, so that no engine decides anything by being fast or slow.
// Time is virtual. An engine is a Player; OnStore makes one of a store.Store, which the
// engine of package runtime works on in a bubble of testing/synctest.
//
// Everything happens at an instant of its own, since nothing says which of two things that
// happen at once comes first: acts and attempts last for so many nanoseconds more or less, and an
// attempt that is told to stop does so when it chooses. Where attempts begin with a step of their run,
// because that is held to a budget, they run one after the other. Children begin and end
// when they like: machines whose children may do so together are not for tapes.
package enginetest
