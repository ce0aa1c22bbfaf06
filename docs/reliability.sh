#!/usr/bin/env bash
# Runs the tests of docs/reliability.md at length and writes its table anew: what
# was done, as often as the tests say that they did it, and whether all held.
# About half an hour on two cores.
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
row 'SIGKILL at any moment' '{kills at random moments} kills, every second time of two processes at one database' 'all invariants' \
	"FSMC_RANDOM_KILLS=${FSMC_RANDOM_KILLS:-1000} go test -run '^TestKillAtRandom\$' -timeout 1h $here"
row 'SIGKILL of migrate, prune, repair' '{kills of operators} kills in the middle of many runs' 'each run is as before or as after, and done again all are' \
	"go test -tags failpoint -run '^TestKillOperators\$' $here"
row 'Power loss' '{losses of power} states of the disk that a loss may leave, at random moments' 'every acknowledged step, none by halves, integrity' \
	"FSMC_POWER_LOSSES=${FSMC_POWER_LOSSES:-1000} go test -run '^TestPowerLoss\$' $disk"
row 'Power loss with `synchronous=NORMAL` forced' '{losses of power under NORMAL} states, of which {of which lost an acknowledged step} lost an acknowledged step' 'that the test above sees a loss; still nothing by halves' \
	"FSMC_POWER_LOSSES=${FSMC_POWER_LOSSES:-1000} go test -run '^TestPowerLossRelaxed\$' $disk"
row 'I/O error, full disk' 'each of {failed calls to the file system} calls to read, write, sync and truncate, once and for good' 'no acknowledgement after a failed write, every acknowledged step' \
	"FSMC_IO_FAULTS=all go test -run '^TestFailedCalls\$' $disk"
row 'Damaged page' '{damaged pages} pages, of which {damaged pages that were met} were met by opening, replaying and a step' 'the error says it, or SQLite'"'"'s own check finds it' \
	"go test -run '^TestDamagedPage\$' $here"
row 'Foreign file, cut off file, newer format' '{files refused} files' 'refused with the reason, and not a byte changed' \
	"go test -run '^TestRefused\$' $disk"
row 'SIGSTOP of a worker past its lease, then SIGCONT' '{workers stopped past their lease} workers, with a successor of another name or the same, while that is at work or after' 'what it returns is refused and noted once, the successor'"'"'s stands' \
	"go test -run '^TestStoppedWorker\$' $here"
row 'SIGSTOP at any moment' '{stops at random moments} times one of two processes, for longer than its leases' 'all invariants' \
	"FSMC_STOPS=${FSMC_STOPS:-30} go test -run '^TestStopAtRandom\$' $here"
row 'Concurrent senders, one of them killed' '{concurrent sends from three processes} sends from three processes' 'linearizable, by the pure step (porcupine)' \
	"FSMC_ROUNDS=${FSMC_ROUNDS:-20} go test -run '^TestLinearizability\$' $here"
row 'Clock set forwards and backwards' '{jumps of the clock} jumps of up to three hours, of one of two engines' 'all invariants' \
	"FSMC_ORDERS=${FSMC_ORDERS:-150} go test -run '^TestClockJumps\$' $here"
row 'A day of timers' '{timers fired in a virtual day} timers in 24 hours of virtual time, in {milliseconds for a virtual day} ms' 'each at its microsecond, once' \
	"go test -run '^TestDay\$' $here"
row 'Random machines, store errors, lost workers, dead engines' '{random machines} machines, {random machines that the checker proves} of them proved, {steps of random machines} steps, {injected store errors} store errors, {engines that died} dead engines' 'all invariants; no goroutine left' \
	"FSMC_MACHINES=${FSMC_MACHINES:-500} FSMC_SEED=${FSMC_SEED:-$(date +%s)} go test -run '^TestRandomMachines\$' -timeout 1h $here"
row 'The tests themselves' 'what is sound is changed in one place after the other' 'each invariant says so' \
	"go test -run 'Bite\$' $here"

awk -v table="$table" '
	/^<!-- table -->$/ { print; while ((getline line < table) > 0) print line; skip = 1 }
	/^<!-- end of table -->$/ { skip = 0 }
	!skip && !/^<!-- table -->$/' docs/reliability.md >"$output"
cp "$output" docs/reliability.md
exit $failed
