module github.com/fsmc-dev/fsmc/codegen/golang/bench

go 1.26.0

require (
	github.com/fsmc-dev/fsmc v0.0.0
	github.com/looplab/fsm v1.0.3
	github.com/qmuntal/stateless v1.7.2
)

require (
	github.com/alecthomas/participle/v2 v2.1.4 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
)

replace github.com/fsmc-dev/fsmc => ../../..
