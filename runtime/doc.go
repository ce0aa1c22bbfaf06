// Package runtime runs machines so that a crash loses nothing.
//
// The step of a machine is a pure function in runtime/machine. Everything durable stands
// around it: the Engine loads a run from a Store, steps it, and commits snapshot, history,
// tasks, timers and messages in one atomic write.
//
// A Definition is what `fsmc gen` and `fsmc run` compile a machine to; it is
// plain data, stored with the runs that use it, and needs no compiler.
//
// The package has these parts, in the order in which to read them:
//
//   - What programs write: aliases.go, of what stands in the packages below; engine.go with
//     its options; engine_activity.go and handlers.go, of activities and guards; runs.go,
//     methods.go, fields.go, optional.go and typed.go, which generated code is made of.
//   - One durable write: engine_apply.go, engine_write.go and engine_commit.go; engine_runs.go,
//     of the turns of a run; engine_ask.go, of host guards; engine_hosts.go, of the versions
//     of machines and who serves them.
//   - What programs and operators ask for: engine_send.go, engine_operate.go, engine_look.go;
//     engine_feed.go, of the steps of all runs; engine_over.go, of a program's own transaction;
//     engine_migrate.go, engine_mapping.go, engine_repair.go, replay*.go and work_faults.go;
//     tree.go, of the runs below one; health*.go, stats*.go, prune.go, where*.go, known.go and meant.go, of many runs; versions.go, of machines.
//   - Workers: worker.go, with worker_scope.go, worker_one.go and rests.go, of what there is to do and when;
//     limits.go, of activities over all runs; worker_attempt.go, performing.go, outcome.go,
//     meter.go, stderr.go and worker_end.go, of one attempt; worker_leases.go, which renews leases;
//     worker_budget.go, of runs that are held to a budget; worker_lost.go, worker_insist.go and
//     worker_idle.go; perform.go, of one attempt without a worker; keeper*.go and standins.go, of
//     children; deliver.go, which delivers the messages of the outbox; engine_progress.go, of checkpoints.
//   - Underneath: clock.go; store_timeout.go, of a store that does not answer; hostcode.go, of code
//     that is not ours; observer.go; engine_changes.go and engine_hints.go, which wake who waits;
//     engine_sites.go, of failpoints.
package runtime
