package runtime

import "testing"

// Box is a machine that keeps values of every type wherever a run can keep one:
// in parameters, data, events that are deferred or queued, results, the input of a
// halt, arguments of guards and activities, messages.
func Box(t testing.TB) *Machine {
	const every = "j json, l []json, s string, f float, i int, d duration, t time"
	names := []string{"j", "l", "s", "f", "i", "d", "t"}
	values := make([]string, len(names))
	for i, n := range names {
		values[i] = "event." + n
	}
	keep := func(more ...armPart) []armPart {
		for i, n := range names {
			more = append(more, set(n, values[i]))
		}
		return more
	}
	return compile(t, params("p json, q []json, r string"), fields(every+", n int = 9223372036854775807"),
		event("Put", every), event("Keep", every), event("Made", every), event("Told", every),
		event("Work", ""), event("Back", ""), event("Jam", ""),
		guard("fits", "j json, l []json"), activity("make", "j json, l []json, s string", "Made", ""),
		state("Open",
			when_("Put", goTo("Open", keep(publish("Told", values...))...)),
			when_("Keep", deferIt()),
			when_("Work", goTo("Working", cond("fits(j, l)")), reject())),
		state("Working", do("make", []string{"j", "l", "s"}),
			when_("Made", goTo("Made", keep()...)), when_("failed", goTo("Open")),
			when_("Keep, Put", deferIt()), when_("Back", goTo("Open"))),
		state("Made", when_("Keep", goTo("Kept", keep()...)), when_("Put", goTo("Open")), when_("Back", goTo("Open"))),
		state("Kept", when_("Back", goTo("Open")), when_("Keep, Put", deferIt()), when_("Jam", goTo("Jammed"))),
		// What was deferred halts the run there.
		state("Jammed", when_("Keep, Put", goTo("Open", set("n", "n + 1"))), when_("Back", goTo("Open"))),
		terminal("Gone", Cancelled))
}
