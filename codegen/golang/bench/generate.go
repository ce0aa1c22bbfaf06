// Package bench compares the core that fsmc generates with a switch and a table
// as one writes them by hand, and with the state machine libraries
// github.com/looplab/fsm and github.com/qmuntal/stateless.
//
// All of them are the code-review agent of review.fsm: nine states,
// two retries that start again with each visit, a bound of five on the way round
// through AwaitingRetry, three fields, and an answer that says what to do next.
// What the agent's activities and timers do is not theirs: each is told how it
// went. A test holds that all reach the same state, data and counters after
// each event, and refuse the same ones.
package bench

//go:generate go -C ../../.. run ./cmd/fsmc gen --core --tests --package bench -o codegen/golang/bench/review_fsm.go codegen/golang/bench/review.fsm
