package check

import "github.com/fsmc-dev/fsmc/lang/ir"

// ReadIn are the variables that something in m reads; but what an effect reads to compute a new
// value of the same variable does not count. What is only told in messages counts where told is set.
func ReadIn(m *ir.Machine, told bool) map[*ir.Var]bool {
	own, values, read := m.SetBy(), map[ir.Expr]bool{}, map[*ir.Var]bool{}
	for b := range m.Blocks() {
		for _, message := range b.Publishes {
			for _, value := range message.Values {
				values[value] = true
			}
		}
	}
	for whole := range m.Exprs() {
		if told || !values[whole] {
			for _, v := range ir.Vars(whole) {
				read[v] = read[v] || own[whole] != v
			}
		}
	}
	for _, t := range m.Timers {
		if t.Var != nil {
			read[t.Var] = true
		}
	}
	for _, d := range m.Dos {
		if d.Fan != nil {
			read[d.Fan.List] = true
		}
	}
	return read
}
