// Package describe says in words what the values of runtime mean: the sentence about a run,
// its timers, costs and steps, times and durations. The command line, the API and the pages
// say it with the same functions.
//
// Run.go has the sentence and what follows a command, activity.go what it says of
// activities and children, step.go the notes of a line of history, times.go and text.go what
// they are made of. All that comes from outside stands there as text on one line, which does
// nothing to a terminal; a page has yet to escape it.
package describe
