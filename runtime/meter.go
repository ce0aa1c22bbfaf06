package runtime

import (
	"encoding/json"
	"fmt"
	"maps"
	"sync"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// meter sums what an attempt says that it has used.
type meter struct {
	mu    sync.Mutex
	spent map[string]json.Number
}

func (m *meter) add(name string, amount json.Number) error {
	if err := machine.CheckCost(name, amount); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.spent[name]; !known && len(m.spent) == machine.MaxCosts {
		return fmt.Errorf("an attempt has at most %d costs", machine.MaxCosts)
	}
	m.spent = plus(m.spent, map[string]json.Number{name: amount})
	return nil
}

// drain is all that has been added since the last drain, and reported.
func (m *meter) drain(reported map[string]json.Number) map[string]json.Number {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.spent) == 0 {
		return reported
	}
	sum := m.spent
	m.spent = nil
	return plus(sum, reported)
}

// putBack adds what was drained and could not be noted.
func (m *meter) putBack(cost map[string]json.Number) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spent = plus(m.spent, cost)
}

// plus adds amounts to a sum, and is that.
func plus(sum, more map[string]json.Number) map[string]json.Number {
	if sum == nil {
		return maps.Clone(more)
	}
	for name, amount := range more {
		if before, known := sum[name]; known {
			amount = json.Number(machine.AddAmounts(before.String(), amount.String()))
		}
		sum[name] = amount
	}
	return sum
}
