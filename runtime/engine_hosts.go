package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// hosts are the machine versions that an engine knows: those registered, and
// those it has met in the store.
type hosts struct {
	mu      sync.Mutex
	byHash  map[string]*host
	current map[string]*host // by the machine's name: the one registered last
}

// host is a machine version with what this process can run of it.
type host struct {
	machine    *Machine
	source     string
	handlers   Handlers // those missing are run by another engine, or not at all
	registered bool
	stored     bool // its definition is in the store; guarded by hosts.mu
	told       bool // that functions are missing; guarded by hosts.mu
}

// Register makes m known to the engine: Start uses the version of a machine that was registered
// last. Source is the text of m. It is stored with the runs for people to read, and may be empty.
//
// H has a function for each activity and guard of m, and no others; otherwise, the error lists
// all that is missing or too much. With empty handlers, the engine can start runs, send events to
// them and show them, but it runs no activity, and takes no step that needs a host guard.
//
// Runs of other versions of the machine in the store use the same functions: those of activities
// whose names and types have not changed, and those of guards. All guards have to fit, because
// the step after an activity may need one. See WithHandlers, too.
//
// Register the machines that m calls before m, unless they are in the store. A call needs no
// function. If a version is registered again without functions, it keeps those that it has. A version
// that is registered without functions does not take the place of one that has them: it is known as
// if it were in the store, and Start goes on with the other one.
func (e *Engine) Register(m *Machine, source string, h Handlers) error {
	if err := h.Check(m.Definition()); err != nil {
		return err
	}
	if err := e.knowsCalled(m); err != nil {
		return err
	}
	known := &host{machine: m, source: source, registered: true,
		handlers: Handlers{maps.Clone(h.Activities), maps.Clone(h.Guards)}}
	defer e.changes.notify("") // there may be work that it had no function for
	e.hosts.mu.Lock()
	defer e.hosts.mu.Unlock()
	before, current := e.hosts.byHash[m.Hash()], e.hosts.current[m.Definition().Name]
	if h.none() && before != nil && before.registered {
		known = before
	}
	if h.none() && current != nil && current != known && !current.handlers.none() && needsFunctions(m.Definition()) {
		if before == nil {
			e.hosts.byHash[m.Hash()] = e.match(m, source, current)
		}
		return nil
	}
	for hash, other := range e.hosts.byHash {
		bare := other.registered && other.handlers.none() && !known.handlers.none()
		if e.find == nil && (!other.registered || bare) && other.machine.Definition().Name == m.Definition().Name {
			again := e.match(other.machine, other.source, known)
			again.stored = other.stored
			e.hosts.byHash[hash] = again
		}
	}
	e.hosts.byHash[m.Hash()] = known
	e.hosts.current[m.Definition().Name] = known
	return nil
}

// knowsCalled is the error where the engine does not know a machine that m calls.
func (e *Engine) knowsCalled(m *Machine) error {
	for _, a := range m.Definition().Activities {
		if a.Callee == "" {
			continue
		}
		switch _, err := e.host(context.Background(), a.Callee); {
		case err != nil && !errors.Is(err, ErrNotFound):
			return fmt.Errorf("machine %q, which %q calls: %w", a.Name, m.Definition().Name, err)
		case err != nil:
			return fmt.Errorf("machine %q calls machine %q of version %s, which has to be registered first", m.Definition().Name, a.Name, a.Callee)
		}
	}
	return nil
}

// needsFunctions reports whether a program has something to do for d: an activity or a guard.
func needsFunctions(d *Definition) bool {
	activities, guards := declared(d)
	return len(activities)+len(guards) > 0
}

// currentHost is the version of a machine with which new runs start.
func (e *Engine) currentHost(name string) (*host, error) {
	h, known := e.registered(name)
	if h == nil {
		return nil, fmt.Errorf("machine %q is not registered%s", name, machine.DidYouMean(name, known))
	}
	return h, nil
}

// registered is the version of a machine that was registered last; where none was, the names of the
// machines that were.
func (e *Engine) registered(name string) (h *host, known []string) {
	e.hosts.mu.Lock()
	defer e.hosts.mu.Unlock()
	if h := e.hosts.current[name]; h != nil {
		return h, nil
	}
	return nil, slices.Sorted(maps.Keys(e.hosts.current))
}

// host finds a machine version by its hash, if need be in the store.
func (e *Engine) host(ctx context.Context, hash string) (*host, error) {
	e.hosts.mu.Lock()
	known := e.hosts.byHash[hash]
	e.hosts.mu.Unlock()
	if known != nil {
		return known, nil
	}
	row, err := e.store.Definition(ctx, hash)
	if err != nil {
		return nil, fmt.Errorf("the definition %s of a run: %w", hash, err)
	}
	m, err := compile(row.Definition)
	if err != nil {
		return nil, fmt.Errorf("the definition %s in the store: %w", hash, err)
	}
	if m.Hash() != hash {
		return nil, fmt.Errorf("the definition %s in the store is damaged: its hash is %s", hash, m.Hash())
	}
	return e.adopt(m, row.Source), nil
}

// adopt makes a version from the store known, with those handlers of the
// registered version whose signatures are the same.
func (e *Engine) adopt(m *Machine, source string) *host {
	var found *host
	if e.find != nil {
		found = e.found(m, source)
	}
	e.hosts.mu.Lock()
	defer e.hosts.mu.Unlock()
	if known := e.hosts.byHash[m.Hash()]; known != nil {
		return known
	}
	if found == nil {
		found = e.match(m, source, e.hosts.current[m.Definition().Name])
	}
	found.stored = true
	e.hosts.byHash[m.Hash()] = found
	return found
}

// found is a version from the store with the functions that there are for it.
func (e *Engine) found(m *Machine, source string) *host {
	h := &host{machine: m, source: source}
	handlers, fault := e.ask(m)
	if fault != "" {
		e.logger.Error("the functions of a machine could not be found", slog.String("machine", m.Definition().Name), slog.String("error", fault))
	}
	h.handlers = handlers
	if _, guards := handlers.missing(m.Definition()); len(guards) > 0 {
		h.handlers.Activities = nil
	}
	return h
}

// ask asks the program for the functions of a machine, and says what went wrong, or
// nothing. A program that does not answer within the limit of a guard is left to itself.
func (e *Engine) ask(m *Machine) (_ Handlers, fault string) {
	var given Handlers
	answered := make(chan string, 1)
	go func() { answered <- isolated(func() { given = e.find(m) }) }()
	if fault, ok := receive(SystemClock(), answered, e.guardLimit); ok {
		return given, fault
	}
	return Handlers{}, "no answer within " + machine.DurationText(e.guardLimit)
}

// lookAgain asks for the functions of the versions that were not registered.
func (e *Engine) lookAgain() {
	if e.find == nil {
		return
	}
	e.hosts.mu.Lock()
	known := slices.Collect(maps.Values(e.hosts.byHash))
	e.hosts.mu.Unlock()
	for _, h := range known {
		if h.registered {
			continue
		}
		now := e.found(h.machine, h.source)
		e.hosts.mu.Lock()
		now.stored = h.stored
		if hash := h.machine.Hash(); e.hosts.byHash[hash] == h { // it may have been registered
			e.hosts.byHash[hash] = now
		}
		e.hosts.mu.Unlock()
	}
}

// match is a version from the store with what fits it of current, nil for none.
func (e *Engine) match(m *Machine, source string, current *host) *host {
	matched := &host{machine: m, source: source}
	if current == nil {
		return matched
	}
	var left []string
	matched.handlers, left = current.handlers.Match(current.machine.Definition(), m.Definition())
	if len(left) > 0 {
		e.logger.Warn("another version of a machine is left in part to other engines", slog.String("machine", m.Definition().Name),
			slog.String("definition", m.Hash()), slog.Any("changed", left))
	}
	return matched
}

// Unmatched are the activities and guards of a version, given by its hash, for which the engine
// has no function, because the registered version does not declare them, or declares them with
// other types. Runs of that version wait there for another engine. It is empty for a version that
// was registered itself.
func (e *Engine) Unmatched(ctx context.Context, definition string) ([]string, error) {
	h, err := e.host(ctx, definition)
	if err != nil || h.registered {
		return nil, err
	}
	return h.missing(), nil
}

// missing are the activities and guards for which there is no function.
func (h *host) missing() []string { return slices.Concat(h.handlers.missing(h.machine.Definition())) }

// tellMissing says, once for each version that was registered, what a worker here has no function
// for: nobody may have one, and then its runs wait for ever.
func (e *Engine) tellMissing() {
	e.hosts.mu.Lock()
	defer e.hosts.mu.Unlock()
	for hash, h := range e.hosts.byHash {
		if h.told || !h.registered {
			continue
		}
		h.told = true
		if names := h.missing(); len(names) > 0 {
			e.logger.Info("a machine was registered without functions: its activities wait for another engine",
				slog.String("machine", h.machine.Definition().Name), slog.String("definition", hash), slog.Any("missing", names))
		}
	}
}

// keepDefinition puts the version into the store, before its first run starts, and those
// that it calls before it.
func (e *Engine) keepDefinition(ctx context.Context, h *host) error {
	e.hosts.mu.Lock()
	stored := h.stored
	e.hosts.mu.Unlock()
	if stored {
		return nil
	}
	for _, a := range h.machine.Definition().Activities {
		if a.Callee == "" {
			continue
		}
		callee, err := e.host(ctx, a.Callee)
		if err == nil {
			err = e.keepDefinition(ctx, callee)
		}
		if err != nil {
			return fmt.Errorf("machine %q, which %q calls: %w", a.Name, h.machine.Definition().Name, err)
		}
	}
	err := e.store.PutDefinition(ctx, store.DefinitionRow{
		Hash:       h.machine.Hash(),
		Machine:    h.machine.Definition().Name,
		Source:     h.source,
		Definition: h.machine.Definition().Encode(),
	})
	if err != nil {
		return fmt.Errorf("storing the definition of machine %q: %w", h.machine.Definition().Name, err)
	}
	e.hosts.mu.Lock()
	h.stored = true
	e.hosts.mu.Unlock()
	return nil
}

// claimable lists all activities that this engine has functions for.
func (e *Engine) claimable() []store.Claimable {
	return e.activities(func(h *host, a *machine.Activity) bool { return h.handlers.Activities[a.Name] != nil })
}

// calls lists the machines that the known ones call, whose children any worker starts.
func (e *Engine) calls() []store.Claimable {
	return e.activities(func(_ *host, a *machine.Activity) bool { return a.Callee != "" })
}

// activities lists those of the known machines that are wanted, in an order that is always the same.
func (e *Engine) activities(wanted func(*host, *machine.Activity) bool) []store.Claimable {
	e.hosts.mu.Lock()
	defer e.hosts.mu.Unlock()
	var out []store.Claimable
	for hash, h := range e.hosts.byHash {
		activities := h.machine.Definition().Activities
		for i := range activities {
			if a := &activities[i]; wanted(h, a) {
				out = append(out, store.Claimable{Definition: hash, Activity: a.Name})
			}
		}
	}
	slices.SortFunc(out, func(a, b store.Claimable) int {
		return strings.Compare(a.Definition+a.Activity, b.Definition+b.Activity)
	})
	return out
}
