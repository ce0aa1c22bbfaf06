// Package temporal runs machines in a Temporal workflow: the same pure step of package machine, with
// Temporal's history in place of a store.
//
// RunWorkflow is the workflow fsmc.Run; Register brings it and the functions of a program to a worker; a
// Client starts runs and speaks with them. Supported says which machines it refuses. docs/temporal.md lists
// what is missing.
//
// supported.go says what is refused, and limits.go how large things may be; definitions.go is how a run has its definition; workflow.go is the loop and the step; updates.go is what
// comes from outside; attempt.go sees one attempt through, on the side of the workflow, call.go is what it asks and is
// answered, and worker.go, versions.go and pulse.go are the side of the worker; child.go and tree.go are machines that call machines; idle.go asks for
// checkpoints; search.go writes search attributes; continue.go carries a run over to the next execution, migrate.go to another definition,
// archive.go its history to a store of the user's, and again.go retries one that has ended; client*.go and connect.go are the side of who asks.
package temporal
