package explore

import (
	"encoding/json"
	"slices"
)

// maxStarts is the most starts that are looked through for parameters.
const maxStarts = 1000

// StartsWith lets those edges pass that no run needs which begins with other parameters than
// these: each edge but some of the start. It is nil where that is not known.
func (p *Product) StartsWith(params map[string]any) func(e int32) bool {
	if len(params) == 0 {
		return func(int32) bool { return true }
	}
	starts := p.First[1]
	if starts > maxStarts {
		return nil
	}
	told, want := p.teller(), jsonOf(params)
	passes := make([]bool, starts)
	for e := range starts {
		begun := jsonOf(p.program.Params(told.edge(0, e).params))
		passes[e] = true
		for name, text := range want {
			if held, known := begun[name]; known && !slices.Equal(held, text) {
				passes[e] = false
			}
		}
	}
	return func(e int32) bool { return e >= starts || passes[e] }
}

// jsonOf are values in their JSON forms.
func jsonOf(values map[string]any) map[string][]byte {
	out := map[string][]byte{}
	for name, v := range values {
		if text, err := json.Marshal(v); err == nil {
			out[name] = text
		}
	}
	return out
}
