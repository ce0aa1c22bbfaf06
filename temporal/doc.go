// Package temporal runs machines in a Temporal workflow: the same pure step of package machine, with
// Temporal's history in place of a store.
//
// RunWorkflow is the workflow fsmc.Run; Register brings it and the functions of a program to a worker; a
// Client starts runs and speaks with them. docs/temporal.md lists what is missing.
//
// sizes.go says how large things may be; definitions.go is how a run has its definition; workflow.go is the loop and the step; updates.go is what
// comes from outside; attempt.go sees one attempt through, on the side of the workflow, call.go is what it asks and is
// answered, and worker.go, versions.go and pulse.go are the side of the worker; child.go and tree.go are machines that call machines;
// limiter.go says who gets a place of a limited activity, limit.go is the workflow that hands them out, and place.go is what a run does with one; idle.go asks for
// checkpoints; search_attributes.go writes search attributes; continue.go carries a run over to the next execution, migrate.go to another definition,
// archive.go its history to a store of the user's, and again.go retries one that has ended; client*.go and connect.go are the side of who asks.
package temporal
