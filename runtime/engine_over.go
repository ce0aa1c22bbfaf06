package runtime

import "log/slog"

// Over gives an engine with the machines, functions, clock and limits that e has now, over
// another store: one that is a transaction of the program, such as postgres.Store.In gives.
// What is done with it is done with that, or not at all, so that no observer is told of it. It
// is for Start, Send and what an operator does. It must not work, and is not used any more when the transaction has
// ended; the workers of e find then what there is to do.
func (e *Engine) Over(s Store) *Engine {
	over := NewEngine(s, WithClock(e.clock), WithLogger(slog.New(e.logger.Handler())), WithWorker(e.worker),
		WithGuardLimit(e.guardLimit), WithStoreLimit(e.storeLimit), WithMaxPayload(e.maxPayload))
	over.own, over.find, over.standIns = e.own, e.find, e.standIns
	e.hosts.mu.Lock()
	defer e.hosts.mu.Unlock()
	over.hosts.byHash, over.hosts.current = map[string]*host{}, map[string]*host{}
	for hash, h := range e.hosts.byHash {
		known := *h // of which over may say that its definition is stored, and the transaction that it is not
		over.hosts.byHash[hash] = &known
		if name := h.machine.Definition().Name; e.hosts.current[name] == h {
			over.hosts.current[name] = &known
		}
	}
	return over
}
