package machinetest

import (
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Box is a machine that keeps values of every type wherever a run can keep one:
// in parameters, data, events that are deferred or queued, results, the input of a
// halt, arguments of guards and activities, messages.
func Box(t testing.TB) *machine.Machine {
	const every = "j json, l []json, s string, f float, i int, d duration, t time"
	names := []string{"j", "l", "s", "f", "i", "d", "t"}
	values := make([]string, len(names))
	for i, n := range names {
		values[i] = "event." + n
	}
	keep := func(more ...ArmPart) []ArmPart {
		for i, n := range names {
			more = append(more, Set(n, values[i]))
		}
		return more
	}
	return Build(t, WithParams("p json, q []json, r string"), WithFields(every+", n int = 9223372036854775807"),
		WithEvent("Put", every), WithEvent("Keep", every), WithEvent("Made", every), WithEvent("Told", every),
		WithEvent("Work", ""), WithEvent("Back", ""), WithEvent("Jam", ""),
		WithGuard("fits", "j json, l []json"), WithActivity("make", "j json, l []json, s string", "Made", ""),
		WithState("Open",
			On("Put", GoTo("Open", keep(Publishing("Told", values...))...)),
			On("Keep", Deferring()),
			On("Work", GoTo("Working", When("fits(j, l)")), Refuse())),
		WithState("Working", Doing("make", []string{"j", "l", "s"}),
			On("Made", GoTo("Made", keep()...)), On("failed", GoTo("Open")),
			On("Keep, Put", Deferring()), On("Back", GoTo("Open"))),
		WithState("Made", On("Keep", GoTo("Kept", keep()...)), On("Put", GoTo("Open")), On("Back", GoTo("Open"))),
		WithState("Kept", On("Back", GoTo("Open")), On("Keep, Put", Deferring()), On("Jam", GoTo("Jammed"))),
		// What was deferred halts the run there.
		WithState("Jammed", On("Keep, Put", GoTo("Open", Set("n", "n + 1"))), On("Back", GoTo("Open"))),
		WithTerminal("Gone", machine.Cancelled))
}
