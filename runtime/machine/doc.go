// Package machine is what a run of a machine is, and the one meaning of its language.
//
// Machine.Step takes a snapshot of a run, an input, the time and a way to ask host guards,
// and gives the next snapshot, the commands that make it real, and the history record that
// says what happened. It has no clock, no randomness, no I/O and no goroutines, so that the
// same records always give the same run. An engine performs the commands; the checker, the
// simulator and the tests call the same step.
//
// The package imports the standard library alone, and of that nothing that does I/O. It has
// these parts, in the order in which to read them:
//
//   - What a machine is: definition.go and types.go; value.go, of what is in a field. Compile
//     (machine.go, compile*.go) checks a definition and indexes it; expr*.go and wide.go make
//     functions of its expressions.
//   - What a run is: snapshot.go; input.go, of what it is given and of what comes of it;
//     errors.go and cause.go, of why it is not taken; limits.go.
//   - The step: step.go. It calls admit.go, which refuses what cannot come now, handle.go, which
//     tries the arms, and enter.go, which leaves and enters states; tasks.go, timers.go, backoff.go, deferred.go and cost.go keep what the
//     snapshot has of these. What operators bring is in pause.go, retry.go and repair.go;
//     children.go is what a run that calls machines has besides.
//   - What follows from a step: settle.go, of all that is due at once; net.go, of what the
//     commands of several steps ask for in the end; waits.go, of what a run waits for.
//   - By names: inputs.go and expected.go make an Input of what comes from outside; allowed.go, view.go and
//     view_step.go and step_info.go show a run and its history; answer.go is what a sender is told; nearest.go
//     finds what a misspelt name was meant to be.
//   - JSON: payload.go, scan*.go, codec.go and codec_*.go; check_snapshot.go refuses a snapshot that no
//     step can have made.
//   - Over again: replay*.go takes the records of a run; semantics.go is the version of its
//     steps; migrate.go, migrate_work.go and mapping.go move it to another definition.
package machine
