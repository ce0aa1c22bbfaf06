// Package orderfulfillment is the machine of an order, compiled to Go.
package orderfulfillment

//go:generate go run github.com/fsmc-dev/fsmc/cmd/fsmc gen --tests orderfulfillment.fsm
