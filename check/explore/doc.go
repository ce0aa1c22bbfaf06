// Package explore walks through everything that a machine can reach, breadth
// first, and makes of it a finite graph, the Product. Every question about paths
// is asked of this one graph, so that rules agree, and the first path is the
// shortest. Past the limit, and for a machine that is broken, there is no Product, and
// package check asks package control instead.
//
// # The map
//
// In the order in which to read it:
//
//   - Which data is told apart, and as what: package explore/data. It looks at the
//     text alone.
//   - One step of one configuration: package explore/step. It makes a machine ready
//     (data says what a configuration holds), takes one input, and asks an oracle
//     wherever the environment may choose.
//   - The graph: product.go (what a configuration and an edge are), vertices.go
//     (junctions among them), weights.go (what an edge counts for), visits.go (where
//     visits begin), given.go (the edges of runs that begin with given parameters).
//   - The search: try.go (limits, and what is left out past them), search.go (the
//     runs of a step, one for each choice), expand.go (all steps of a configuration),
//     times.go (which of them there is time for, by the zones of package zone),
//     emit.go (their edges), store.go (the number of a configuration), junction.go
//     and wideinput.go (what an event leads to that sets very much); overbudget.go
//     (when over_budget comes), sums.go (fields that surely stay in their range, and
//     are not held); walk.go (a part of the graph, where the whole is too large). It needs
//     step.
//   - Questions about the graph: ends.go (what never finishes), guessed.go (what finishes
//     only with the right guesses), loops.go (cycles, and chains that wait for
//     nothing), timers.go (timers and waits in vain), drops.go (deferred events that
//     are lost), require.go (runs that are turned away), fault.go (steps that cannot
//     be computed). They need the graph alone; where that does not tell, timers.go and
//     require.go have the search look at one configuration again. So does leftout.go:
//     which inputs some configuration leaves to nobody.
//   - Questions about data: meet.go and meeter.go ask of all configurations of a leaf
//     what package guard decides for one. They need data, and of the search which
//     inputs can come.
//   - A path as a run to show: retell.go (takes its steps again, for what an edge does
//     not hold), record.go (rows), schedule.go (their times).
//
// # How it explores
//
// check/proof.go calls TryFurther, then TryLarge with the whole limit. try.go explores the
// machine up to three times: with the times of all timers, with those of leaves, and without
// times; the first that stays within its limits is the Product. The loop is in exploration:
//
//	exploration, for each configuration in the order of their numbers
//	  expand    which inputs can come here
//	    take    one input; follow it once for each combination of free choices (each)
//	      emit  the end of one step, as an open edge
//	  settle    the number of each end (store.go), and the edges
//
// Not all that is found is an edge. An input that nothing takes (Unmet), a step that cannot be
// computed (Fault) and over_budget that halts the run (Halt) stand beside the graph.
//
// # Its words
//
// An edge is a whole step, which its Label describes. A junction is a vertex within a
// step, so that an edge into one is half a step: count steps with InOrder and StepsFrom.
//
// A choice is a guess if it depends on data that is not held. What no path does, no run
// does, guess or not. A path with a guess may be no run: Guessed says this of a Product,
// Certain of an edge, and Run of a path (its result sure). What runs of one step rest on, beside a guess, is in
// rests (guessed.go).
//
// The footprint of a step is the data that its runs read and write, of package step: configurations that agree in
// that share the ends of an event with very many payloads (junction.go, wideinput.go). Effort (flat.Effort, as
// Table.Wide) is how far the values of wide ranges are told apart: more with each try that leaves an answer open.
//
// An edge has no payloads, parameters or answers of guards. To show a path, retell.go takes
// each of its steps again, until it finds choices that make the same edge.
//
// # Elements of lists
//
// fans.go has the fan-outs of a step, and what they count for; elements.go writes out the
// rows of each element, of which a path tells nothing, and elementsof.go says how many there are. What a configuration holds of them
// is in package step, fans.go.
//
// How long a run lasts is asked in package lifetime.
//
// # What a configuration is
//
// The leaf; which of the visit's activities have ended; whether `done` was handled
// in the visit; which timers have fired; whether `cancel` was taken; the data that is
// held; the counters of `max` and `retry`; the events that may stand deferred
// (language.md, section 7); where timers decide, what is known of the times. All else
// is a free choice of the environment.
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
