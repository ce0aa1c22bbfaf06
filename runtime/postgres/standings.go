package postgres

import "sync"

// standings are how runs stood when this process last read or moved them: what a step changes
// about the counts depends on it. Nothing else does, and it is good only where the server
// finds the run at the same number and with the same start. So it may be old, and forget.
type standings struct {
	mu           sync.Mutex
	fresh, older map[string]standing
}

// maxKnown is how many runs are known, and once again as many of those before.
const maxKnown = 8192

// note remembers how a run stands.
func (k *standings) note(s standing) {
	s.told = nil
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.fresh) >= maxKnown || k.fresh == nil {
		k.fresh, k.older = map[string]standing{}, k.fresh
	}
	k.fresh[s.run] = s
}

// of is how a run stands, as far as that is known.
func (k *standings) of(run string) (s standing, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if s, ok = k.fresh[run]; !ok {
		s, ok = k.older[run]
	}
	return s, ok
}
