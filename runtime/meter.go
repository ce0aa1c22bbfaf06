package runtime

import (
	"encoding/json"
	"fmt"
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
	if m.spent == nil {
		m.spent = map[string]json.Number{}
	}
	if _, known := m.spent[name]; !known && len(m.spent) == machine.MaxCosts {
		return fmt.Errorf("an attempt has at most %d costs", machine.MaxCosts)
	}
	m.spent[name] = sumAmounts(m.spent[name], amount)
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
	for name, amount := range reported {
		sum[name] = sumAmounts(sum[name], amount)
	}
	return sum
}

// putBack adds what was drained and could not be noted.
func (m *meter) putBack(cost map[string]json.Number) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.spent == nil {
		m.spent = map[string]json.Number{}
	}
	for name, amount := range cost {
		m.spent[name] = sumAmounts(m.spent[name], amount)
	}
}

func sumAmounts(a, b json.Number) json.Number {
	if a == "" {
		return b
	}
	return json.Number(machine.AddAmounts(a.String(), b.String()))
}
