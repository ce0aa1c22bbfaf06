// Package product explores an old machine and a new one side by side, and finds runs in
// which they do different things.
//
// Both are run by the runtime's own step. Both get the same parameters, events, results,
// failures, answers of host guards and times, as far as both know them. They differ where
// one refuses what the other takes, or where they then stand in different states, have
// published different messages, give attempts different arguments or limits, or have ended
// differently or returned other values. The search is breadth first over pairs of
// configurations, so that the first difference of an arm is a shortest one.
//
//   - product.go is the search, differ.go and asked.go say what a difference is.
//   - arrivals.go lists what can come, values.go the values that are tried.
//   - side.go is one machine on the runtime's step, witness.go writes a run down.
package product
