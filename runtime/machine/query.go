package machine

import (
	"encoding/json"
	"time"
)

// Query computes an expression on a run as it stands, as a step at now would: the JSON of its
// value. The error says why it cannot be computed. Host guards are not asked.
func (m *Machine) Query(e *Expr, s *Snapshot, now time.Time) (json.RawMessage, error) {
	code, err := (&exprCompiler{d: m.def, m: m}).compile(e)
	if err != nil {
		return nil, err
	}
	on := env{machine: m, run: s, params: s.Params, data: s.Data, now: stepTime(s, now).UnixMicro(), source: noSource}
	v, err := code.value(&on)
	if err != nil {
		return nil, err
	}
	return appendValue(nil, &e.Type, &v), nil
}
