package bench

//go:generate go -C ../../.. run ./cmd/fsmc gen --core --tests --package bench -o codegen/golang/bench/review_fsm.go examples/codereview/codereview.fsm
