module github.com/fsmc-dev/fsmc/codegen/golang/bench

go 1.26.0

require (
	github.com/fsmc-dev/fsmc v0.0.0
	github.com/looplab/fsm v1.0.3
	github.com/qmuntal/stateless v1.7.2
)

replace github.com/fsmc-dev/fsmc => ../../..
