package runtime

import "log/slog"

// Over gives an engine with the present machines, functions, clock and limits of e, over another
// store that is a transaction of the program, such as that of postgres.Store.In. Its steps are
// committed with the transaction, or not at all, so no observer is told of them. Use it for
// Start, Send and the methods of operators, not for Run, and not after the transaction has ended.
// The workers of e find the new work after that.
func (e *Engine) Over(s Store) *Engine {
	over := NewEngine(s, WithClock(e.clock), WithLogger(slog.New(e.logger.Handler())), WithWorker(e.worker),
		WithGuardLimit(e.guardLimit), WithStoreLimit(e.storeLimit), WithMaxPayload(e.maxPayload))
	over.own, over.find, over.standIns = e.own, e.find, e.standIns
	e.hosts.mu.Lock()
	defer e.hosts.mu.Unlock()
	for hash, h := range e.hosts.byHash {
		known := *h // of which over may say that its definition is stored, and the transaction that it is not
		over.hosts.byHash[hash] = &known
		if name := h.machine.Definition().Name; e.hosts.current[name] == h {
			over.hosts.current[name] = &known
		}
	}
	return over
}
