package replay

import (
	"slices"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// sound makes of d what the runtime compiles. It refuses numbers that `unsound-backoff`
// reports, retries that `retry-without-activity` reports, and limits of 0s. The findings of
// such a machine have runs all the same. The waits are those that check/timing says; the
// step does not look at limits.
func sound(d *machine.Definition) {
	for i := range d.Arms {
		b := d.Arms[i].Backoff
		if b == nil || b.By != nil {
			continue
		}
		if b.First > b.Last || b.Factor < 1 {
			b.First, b.Factor = min(b.First, b.Last), 1
		}
		b.Jitter = min(b.Jitter, 1)
	}
	for i := range d.Timers { // run.begin sets them
		d.Timers[i].Jitter = min(d.Timers[i].Jitter, 1)
	}
	for i := range d.Dos {
		for _, limit := range []**int64{&d.Dos[i].Timeout, &d.Dos[i].Heartbeat, &d.Dos[i].Progress} {
			if *limit != nil && **limit <= 0 {
				least := int64(1)
				*limit = &least
			}
		}
	}
	for i := range d.States {
		for k := range d.States[i].Handlers {
			h := &d.States[i].Handlers[k]
			if h.Kind != machine.ResultInput && h.Kind != machine.FailureInput {
				h.Arms = slices.DeleteFunc(slices.Clone(h.Arms), func(a int) bool { return d.Arms[a].Kind == machine.RetryArm })
			}
		}
	}
}
