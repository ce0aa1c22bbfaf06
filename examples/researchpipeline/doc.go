// Package researchpipeline is the machine of a research pipeline, compiled to Go.
package researchpipeline

//go:generate go run github.com/fsmc-dev/fsmc/cmd/fsmc gen --tests researchpipeline.fsm
