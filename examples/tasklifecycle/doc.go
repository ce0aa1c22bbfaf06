// Package tasklifecycle is the machine of a task in a swarm of agents, compiled to Go.
package tasklifecycle

//go:generate go run github.com/fsmc-dev/fsmc/cmd/fsmc gen tasklifecycle.fsm
