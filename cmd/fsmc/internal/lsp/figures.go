package lsp

import (
	"math/big"
	"strings"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// worst is the worst case of m, if its last check is over, whatever was edited since; else nil.
func (s *snapshot) worst(m *ir.Machine) *check.Worst {
	s.folder.mu.Lock()
	defer s.folder.mu.Unlock()
	return s.folder.worst[m.Name]
}

// worstText is a worst case on one line: "21 steps, 24h, 0.17 usd".
func worstText(w *check.Worst) string {
	parts := []string{amountText(w.Steps.Amount) + " steps", timeText(w.Time.Amount)}
	for _, c := range w.Costs {
		parts = append(parts, amountText(c.Amount)+" "+c.Name)
	}
	return strings.Join(parts, ", ")
}

// visitText is the worst visit of a state on one line: "worst visit: 2h, 0.64 usd; entered
// at most 3 times in a run".
func visitText(v *check.Visit) string {
	text := "worst visit: " + timeText(v.Time)
	for _, c := range v.Costs {
		if c.Amount == nil || c.Amount.Sign() > 0 {
			text += ", " + amountText(c.Amount) + " " + c.Name
		}
	}
	switch n := v.Entered; {
	case n == nil:
		return text + "; entered any number of times in a run"
	case n.Sign() == 0:
		return "no run enters it"
	case n.Cmp(big.NewRat(1, 1)) == 0:
		return text + "; entered at most once in a run"
	}
	return text + "; entered at most " + amountText(v.Entered) + " times in a run"
}

// amountText is an amount without zeros at its end.
func amountText(r *big.Rat) string {
	if r == nil {
		return "unbounded"
	}
	return ir.DecimalText(r)
}

// timeText is a time in nanoseconds as the language writes it.
func timeText(r *big.Rat) string {
	if r == nil {
		return "unbounded time"
	}
	if !r.IsInt() || !r.Num().IsInt64() {
		return amountText(new(big.Rat).Quo(r, big.NewRat(1e9, 1))) + "s"
	}
	return ir.FormatDuration(r.Num().Int64())
}
