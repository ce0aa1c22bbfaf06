// Package documentagent is the machine of an agent that writes documents, compiled
// to Go.
package documentagent

//go:generate go run github.com/fsmc-dev/fsmc/cmd/fsmc gen --tests documentagent.fsm
