package machinetest

import (
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// flatten lists for each leaf and each input the arms from the leaf outwards.
func (b *builder) flatten() {
	for i := range b.d.States {
		leaf := &b.d.States[i]
		if leaf.Kind != machine.LeafState {
			continue
		}
		add := func(h machine.Handler, tiers ...string) {
			for s := i; s >= 0; s = b.d.States[s].Parent {
				for _, t := range tiers {
					if o, ok := b.find(s, t); ok {
						h.Arms = append(h.Arms, o.arms...)
						for _, more := range b.ons[s] {
							if slices.Contains(more.triggers, t) && !slices.Equal(more.arms, o.arms) {
								h.Arms = append(h.Arms, more.arms...)
							}
						}
						break
					}
				}
			}
			if len(h.Arms) > 0 {
				leaf.Handlers = append(leaf.Handlers, h)
			}
		}
		none := machine.Handler{Event: -1, Do: -1, Category: -1, Timer: -1}
		for e := range b.d.Events {
			if h := none; !b.d.Events[e].Internal {
				h.Kind, h.Event = machine.EventInput, e
				add(h, b.d.Events[e].Name)
			}
		}
		for _, k := range leaf.Dos {
			b.flattenDo(k, none, add)
		}
		h := none
		h.Kind = machine.DoneInput
		if len(leaf.Dos) > 0 || leaf.Choice {
			add(h, "done")
		}
		h.Kind = machine.CancelInput
		add(h, "cancel")
		if b.d.Budget != nil {
			h.Kind = machine.OverBudgetInput
			for _, c := range b.d.Budget.Costs {
				h.Cost = c.Name
				add(h, "over_budget")
			}
			h.Cost = ""
		}
		for s := i; s >= 0; s = b.d.States[s].Parent {
			for _, k := range b.d.States[s].Timers {
				h.Kind, h.Timer = machine.TimerInput, k
				add(h, fmt.Sprintf("timer %d", k))
			}
		}
	}
}

func (b *builder) flattenDo(k int, none machine.Handler, add func(machine.Handler, ...string)) {
	do := &b.d.Dos[k]
	none.Do = k
	for _, e := range b.d.Activities[do.Activity].Results {
		h := none
		h.Kind, h.Event = machine.ResultInput, e
		name := b.d.Events[e].Name
		add(h, do.Label+"."+ownName(name), name)
	}
	for c, name := range b.d.Categories {
		if h := none; b.d.CanFail(do, c) {
			h.Kind, h.Category = machine.FailureInput, c
			listed := "failed(" + name + ")"
			add(h, do.Label+"."+listed, do.Label+".failed", listed, "failed")
		}
	}
}
