package runtime

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Version is one version of a machine that the engine knows, because it was registered or is in
// the store.
type Version struct {
	Name    string // of the machine
	Hash    string // of the definition
	Source  string // the text it was compiled from; may be empty
	Machine *Machine
	Fault   error // why Machine is nil: what is stored cannot be read

	// Current is set of the version with which Start begins a run.
	Current bool
	// Last is when the newest run of the version started that is in the store; zero for none.
	Last time.Time
}

// VersionCounts has figures of the runs of each version that has any, by hash. It costs by the runs
// that have not ended.
func (e *Engine) VersionCounts(ctx context.Context) (map[string]store.VersionCount, error) {
	rows, err := e.store.VersionCounts(ctx)
	byHash := make(map[string]store.VersionCount, len(rows))
	for _, c := range rows {
		byHash[c.Hash] = c
	}
	return byHash, err
}

// Versions are those of all machines, sorted by name, with the current version of a name first.
func (e *Engine) Versions(ctx context.Context) ([]Version, error) {
	rows, err := e.store.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	byHash := map[string]Version{}
	for i := range rows {
		v := Version{Name: rows[i].Machine, Hash: rows[i].Hash, Source: rows[i].Source}
		if h, err := e.host(ctx, v.Hash); err != nil {
			v.Fault = err
		} else {
			v.Machine = h.machine
		}
		newest, err := e.store.Runs(ctx, RunFilter{Definition: v.Hash, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(newest) > 0 {
			v.Last = newest[0].Started
		}
		byHash[v.Hash] = v
	}
	e.addRegistered(byHash)
	return e.inOrder(byHash), nil
}

// addRegistered adds versions that have been registered and are not stored yet, since no run
// of theirs has started.
func (e *Engine) addRegistered(byHash map[string]Version) {
	e.hosts.mu.Lock()
	defer e.hosts.mu.Unlock()
	for name, h := range e.hosts.current {
		v, stored := byHash[h.machine.Hash()]
		if !stored {
			v = Version{Name: name, Hash: h.machine.Hash(), Source: h.source, Machine: h.machine}
		}
		v.Current = true
		byHash[v.Hash] = v
	}
}

// inOrder sorts versions, and finds the current ones of machines of which none is registered.
func (e *Engine) inOrder(byHash map[string]Version) []Version {
	all := slices.SortedFunc(maps.Values(byHash), func(a, b Version) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), -cmpBool(a.Current, b.Current), b.Last.Compare(a.Last), cmp.Compare(a.Hash, b.Hash))
	})
	for i := range all {
		first := i == 0 || all[i-1].Name != all[i].Name
		only := i+1 == len(all) || all[i+1].Name != all[i].Name
		if first && (only || !all[i].Last.IsZero()) && all[i].Fault == nil {
			all[i].Current = true
		}
	}
	return all
}

func cmpBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// Version is the version of a machine with that hash; ErrNotFound.
func (e *Engine) Version(ctx context.Context, hash string) (Version, error) {
	h, err := e.host(ctx, hash)
	if err != nil {
		return Version{}, err
	}
	return Version{Name: h.machine.Definition().Name, Hash: hash, Source: h.source, Machine: h.machine}, nil
}

// startHost is the version of a machine with which new runs start: the one that was registered last. Where
// none was, it is that of the newest run in the store, or the only one there.
func (e *Engine) startHost(ctx context.Context, name string) (*host, error) {
	h, names := e.registered(name)
	if h != nil {
		return h, nil
	}
	rows, err := e.store.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(r store.DefinitionRow) bool { names = append(names, r.Machine); return r.Machine != name })
	newest, err := e.store.Runs(ctx, RunFilter{Machine: name, Limit: 1})
	switch {
	case err != nil:
		return nil, err
	case len(newest) > 0:
		return e.host(ctx, newest[0].Definition)
	case len(rows) == 1:
		return e.host(ctx, rows[0].Hash)
	case len(rows) > 1:
		return nil, fmt.Errorf("machine %q is not registered, and has %d versions in the store, and no run says which is the newest", name, len(rows))
	}
	near := machine.DidYouMean(name, names)
	return nil, &unknownMachine{fmt.Sprintf("machine %q is neither registered nor in the database%s", name, near)}
}

// unknownMachine is the ErrNotFound of a machine.
type unknownMachine struct{ text string }

func (u *unknownMachine) Error() string        { return u.text }
func (u *unknownMachine) Is(target error) bool { return target == ErrNotFound }
