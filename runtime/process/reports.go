package process

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// reports are what an executable has said that its attempt has used. Each report is the
// attempt's total so far; one that is less than an earlier one takes nothing off it.
type reports map[string]json.Number

// note has the attempt spend what a report has more than those before it.
func (r reports) note(a *runtime.Attempt, total costs) error {
	for name, amount := range total {
		if err := machine.CheckCost(name, amount); err != nil {
			return err
		}
		if err := a.Spend(name, r.more(name, amount)); err != nil {
			return err
		}
		r[name] = json.Number(machine.AddAmounts(r.more(name, amount).String(), r.before(name)))
	}
	return nil
}

func (r reports) before(name string) string { return cmp.Or(r[name].String(), "0") }

// more is what an amount has more than what was said before.
func (r reports) more(name string, amount json.Number) json.Number {
	return json.Number(machine.LessAmounts(amount.String(), r.before(name)))
}

// rest takes off an answer what was said before it. What is no cost stays as it is.
func (r reports) rest(result runtime.Result, err error) (runtime.Result, error) {
	result.Cost = r.left(result.Cost)
	if failure, ok := errors.AsType[*runtime.Failure](err); ok {
		failure.Cost = r.left(failure.Cost)
	}
	return result, err
}

func (r reports) left(total map[string]json.Number) map[string]json.Number {
	if len(r) == 0 {
		return total
	}
	left := maps.Clone(total)
	for name, amount := range total {
		if _, said := r[name]; said && machine.CheckCost(name, amount) == nil {
			left[name] = r.more(name, amount)
		}
	}
	return left
}
