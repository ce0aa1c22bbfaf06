// Package temporal runs machines in a Temporal workflow: the same pure step of package machine, with
// Temporal's history in place of a store.
//
// It is a beginning. RunWorkflow is the workflow fsmc.Run; Register brings it and the functions of a
// program to a worker. Supported says which machines it refuses. docs/temporal.md lists what is missing.
//
// supported.go says what is refused; workflow.go is the loop and the step; updates.go is what comes from
// outside; attempt.go sees one attempt through, on the side of the workflow, and worker.go on that of
// the worker.
package temporal
