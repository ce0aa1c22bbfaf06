#!/usr/bin/env bash
# Runs the tests of docs/reliability.md at length, and writes its table: what was
# done, how often by the tests' own count, and whether all invariants held.
# It takes about half an hour on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."

output=$(mktemp)
table=$(mktemp)
trap 'rm -f "$output" "$table"' EXIT
failed=0

# row FAULT DONE CHECKED COMMAND: {name} in DONE stands for the sum of the
# figures of that name which the tests log.
row() {
	local result=held done=$2 name
	echo "$4" >&2
	if ! bash -c "$4 -count 1 -v" >"$output" 2>&1; then
		result='**FAILED**'
		failed=1
		grep -v '^=== ' "$output" | tail -40 >&2
	fi
	while [[ $done =~ \{([^}]*)\} ]]; do
		name=${BASH_REMATCH[1]}
		done=${done//"{$name}"/$(awk -v name="figure: $name = " \
			'i = index($0, name) { n += substr($0, i + length(name)) } END { print n + 0 }' "$output")}
	done
	printf '| %s | %s | %s | %s | `%s` |\n' "$1" "$done" "$3" "$result" "$4" >>"$table"
}

here=./runtime/reliability
disk=./runtime/sqlite

printf '| Fault | What was done | What is checked | Result | Command |\n| --- | --- | --- | --- | --- |\n' >"$table"
row 'SIGKILL between any two writes' '{kills at failpoints} processes killed, at {failpoints} places' 'all invariants' \
	"FSMC_KILLS=${FSMC_KILLS:-30} go test -tags failpoint -run '^TestKillAtFailpoints\$' -timeout 1h $here"
row 'SIGKILL at any moment' '{kills at random moments} kills of one process, or of two that share a database' 'all invariants' \
	"FSMC_RANDOM_KILLS=${FSMC_RANDOM_KILLS:-1000} go test -run '^TestKillAtRandom\$' -timeout 1h $here"
row 'SIGKILL of trees of runs at any moment' '{kills of trees at random moments} kills, as above, of parents, children and their children' 'all invariants' \
	"FSMC_RANDOM_KILLS=${FSMC_TREE_KILLS:-500} go test -run '^TestKillTreesAtRandom\$' -timeout 1h $here"
row 'SIGKILL of processes on PostgreSQL, at failpoints and between messages' '{kills at failpoints} processes killed, at {failpoints} places' 'all invariants' \
	"FSMC_KILLS=${FSMC_KILLS:-30} go test -tags failpoint -run '^TestKillPostgresAtFailpoints\$' -timeout 1h $here"
row 'SIGKILL of processes on PostgreSQL at any moment' '{kills at random moments on PostgreSQL} kills, as above, of single runs and of trees' 'all invariants' \
	"FSMC_RANDOM_KILLS=${FSMC_TREE_KILLS:-500} go test -run '^TestKillPostgresAtRandom\$' -timeout 1h $here"
row 'SIGKILL of migrate, prune, repair' '{kills of operators} kills in the middle of many runs' 'each run is as it was before the command, or as it is after it; the same command again does the rest' \
	"go test -tags failpoint -run '^TestKillOperators\$' $here"
row 'SIGKILL of migrate, prune, repair on PostgreSQL at any moment' '{kills of operators on PostgreSQL} kills in the middle of many runs' 'as above' \
	"FSMC_RANDOM_KILLS=${FSMC_OPERATOR_KILLS:-30} go test -run '^TestKillPostgresOperators\$' -timeout 1h $here"
row 'Power loss' '{losses of power} losses at random moments, each with a state of the disk that it may leave' 'every acknowledged step is there, no step is there in part, the file is sound' \
	"FSMC_POWER_LOSSES=${FSMC_POWER_LOSSES:-1000} go test -run '^TestPowerLoss\$' $disk"
row 'Power loss with `synchronous=NORMAL` forced' '{losses of power under NORMAL} losses, of which {of which lost an acknowledged step} lost an acknowledged step' 'the test above sees lost steps; still, no step is there in part' \
	"FSMC_POWER_LOSSES=${FSMC_POWER_LOSSES:-1000} go test -run '^TestPowerLossRelaxed\$' $disk"
row 'I/O error, full disk' 'each of {failed calls to the file system} calls to read, write, sync and truncate fails: only that one, or all from then on' 'no step is acknowledged after a failed write, unless the disk was full; every acknowledged step is there' \
	"FSMC_IO_FAULTS=all go test -run '^TestFailedCalls\$' $disk"
row 'Damaged page' '{damaged pages} pages damaged, one at a time; opening, replaying or a step met {damaged pages that were met} of them' 'an error reports the damage, or SQLite'"'"'s own check finds it' \
	"go test -run '^TestDamagedPage\$' $here"
row 'File of another program, truncated file, newer format' '{files refused} files' 'the file is refused with the reason, and no byte of it changes' \
	"go test -run '^TestRefused\$' $disk"
row 'SIGSTOP of a worker past its lease, then SIGCONT' '{workers stopped past their lease} workers, half of them on PostgreSQL; the next worker has another name or the same, and is at work or has ended' 'the result of the stopped worker is refused and recorded once; the result of the next worker counts' \
	"go test -run '^TestStoppedWorker\$' $here"
row 'SIGSTOP at any moment' '{stops at random moments} stops of one of two processes, half of them on PostgreSQL, each longer than its leases' 'all invariants' \
	"FSMC_STOPS=${FSMC_STOPS:-30} go test -run '^TestStopAtRandom\$' $here"
row 'Concurrent senders, one of them killed' '{concurrent sends from three processes} sends from three processes' 'the answers are linearizable (porcupine, with the pure step as the model)' \
	"FSMC_ROUNDS=${FSMC_ROUNDS:-20} go test -run '^TestLinearizability\$' $here"
row 'Concurrent senders on PostgreSQL, one of them killed' '{concurrent sends from eight processes} sends from eight processes' 'the answers are linearizable' \
	"FSMC_ROUNDS=${FSMC_ROUNDS:-20} go test -run '^TestLinearizabilityOnPostgres\$' $here"
row 'Clock set forwards and backwards' '{jumps of the clock} jumps of the clock of one of two engines, of up to three hours' 'all invariants' \
	"FSMC_ORDERS=${FSMC_ORDERS:-150} go test -run '^TestClockJumps\$' $here"
row 'A day of timers' '{timers fired in a virtual day} timers in 24 hours of virtual time, in {milliseconds for a virtual day} ms' 'each timer fires once, at its microsecond' \
	"go test -run '^TestDay\$' $here"
row 'Random machines, store errors, lost workers, dead engines' '{random machines} machines, {random machines that the checker proves} of them proved, {steps of random machines} steps, {injected store errors} store errors, {engines that died} dead engines' 'all invariants; no goroutine left' \
	"FSMC_MACHINES=${FSMC_MACHINES:-500} FSMC_SEED=${FSMC_SEED:-$(date +%s)} go test -run '^TestRandomMachines\$' -timeout 1h $here"
row 'Random operators on random trees of runs, dead engines' '{random trees} trees, each grown two times, {runs of random trees} runs, {steps of random trees} steps, {attempts of random trees} attempts, {acts of operators on random trees} acts of operators, {engines of random trees that died} dead engines' 'limits, keys, budgets and the end of children; every run has ended; nothing is left' \
	"FSMC_TREES=${FSMC_TREES:-500} FSMC_SEED=${FSMC_SEED:-$(date +%s)} go test -run '^TestRandomTrees\$' -timeout 1h $here"
row 'The tests themselves' 'a sound database is damaged, in one place at a time' 'the invariant reports it' \
	"go test -run 'Bite\$' $here"

awk -v table="$table" '
	/^<!-- table -->$/ { print; while ((getline line < table) > 0) print line; skip = 1 }
	/^<!-- end of table -->$/ { skip = 0 }
	!skip && !/^<!-- table -->$/' docs/reliability.md >"$output"
cp "$output" docs/reliability.md
exit $failed
