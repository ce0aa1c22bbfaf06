package httpapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/schema"
)

type machinesAnswer struct {
	Machines []machineRow `json:"machines"`
}

type machineRow struct {
	Name         string       `json:"name"`
	Doc          string       `json:"doc"`
	Active       int64        `json:"active"`
	Ended        int64        `json:"ended"`
	SuccessShare *float64     `json:"success_share"` // of those that have ended; null for none
	Versions     []versionRow `json:"versions"`
}

type versionRow struct {
	Hash    string     `json:"hash"`
	Current bool       `json:"current"` // new runs have it
	Runs    int64      `json:"runs"`    // that have not ended
	First   *time.Time `json:"first"`   // when its oldest run started that is stored; null for none
	Last    *time.Time `json:"last"`    // when its newest run started; null for none
	Fault   string     `json:"fault,omitempty"`
}

func (a *API) getMachines(w http.ResponseWriter, r *http.Request) error {
	versions, err := a.engine.Versions(r.Context())
	if err != nil {
		return err
	}
	stats, err := a.stats(r.Context(), runtime.StatsQuery{})
	if err != nil {
		return err
	}
	counts, err := a.keptVersions.get(r.Context(), struct{}{}, a.engine.VersionCounts)
	if err != nil {
		return err
	}
	rows := []machineRow{}
	for i := range versions {
		v := &versions[i]
		if len(rows) == 0 || rows[len(rows)-1].Name != v.Name {
			rows = append(rows, machineOf(v, stats))
		}
		count := counts[v.Hash]
		row := versionRow{Hash: v.Hash, Current: v.Current, Runs: count.Runs}
		if !count.First.IsZero() {
			row.First = &count.First
		}
		if !v.Last.IsZero() {
			row.Last = &v.Last
		}
		if v.Fault != nil {
			row.Fault = v.Fault.Error()
		}
		rows[len(rows)-1].Versions = append(rows[len(rows)-1].Versions, row)
	}
	return writeJSON(w, http.StatusOK, machinesAnswer{rows})
}

// machineOf is the machine of a version, with its figures.
func machineOf(v *runtime.Version, stats *runtime.Stats) machineRow {
	row := machineRow{Name: v.Name}
	if v.Machine != nil {
		row.Doc = v.Machine.Definition().Doc
	}
	for _, s := range stats.States {
		if s.Machine == v.Name {
			row.Active += s.Runs
		}
	}
	successes := int64(0)
	for _, o := range stats.Outcomes {
		if o.Machine != v.Name {
			continue
		}
		row.Ended += o.Runs
		if o.Outcome == runtime.Success {
			successes = o.Runs
		}
	}
	row.Active -= row.Ended
	if row.Ended > 0 {
		share := float64(successes) / float64(row.Ended)
		row.SuccessShare = &share
	}
	return row
}

// versionOf finds the version that a request names: the current one of the machine, or the one
// of ?version=.
func (a *API) versionOf(r *http.Request) (*runtime.Version, error) {
	versions, err := a.engine.Versions(r.Context())
	if err != nil {
		return nil, err
	}
	name, hash := r.PathValue("machine"), r.URL.Query().Get("version")
	var newest *runtime.Version
	var names, hashes []string
	for i := range versions {
		v := &versions[i]
		names = append(names, v.Name)
		if v.Name != name {
			continue
		}
		if hashes = append(hashes, v.Hash); v.Hash == hash {
			return v, v.Fault
		}
		newest = cmp.Or(newest, v) // the current one comes first
	}
	switch {
	case newest == nil:
		return nil, notFound("no machine %q in the database%s", name, machine.DidYouMean(name, names))
	case hash != "":
		return nil, notFound("machine %q has no version %q", name, hash).allow(hashes)
	}
	return newest, newest.Fault
}

// machineAnswer is a version of a machine.
type machineAnswer struct {
	Name   string          `json:"name"`
	Hash   string          `json:"hash"`
	Doc    string          `json:"doc"`
	Source string          `json:"source"`
	Params []paramRow      `json:"params"`
	Schema schema.Schema   `json:"schema"` // of the parameters
	States []stateRow      `json:"states"`
	Events []schema.Action `json:"events"`
	Bounds json.RawMessage `json:"bounds,omitempty"`
	Budget *budgetRow      `json:"budget,omitempty"`
}

type paramRow struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Doc  string `json:"doc"`
}

type stateRow struct {
	Path    string            `json:"path"`
	Kind    machine.StateKind `json:"kind"`
	Outcome runtime.Outcome   `json:"outcome,omitempty"`
	Doc     string            `json:"doc"`
	Runs    int64             `json:"runs"`
	Halted  int64             `json:"halted"`
	Paused  int64             `json:"paused"`
}

type budgetRow struct {
	Steps *int64            `json:"steps,omitempty"`
	Time  string            `json:"time,omitempty"`
	Costs map[string]string `json:"costs,omitempty"`
}

func (a *API) getMachine(w http.ResponseWriter, r *http.Request) error {
	v, err := a.versionOf(r)
	if err != nil {
		return err
	}
	stats, err := a.stats(r.Context(), runtime.StatsQuery{})
	if err != nil {
		return err
	}
	d := v.Machine.Definition()
	answer := machineAnswer{
		Name: v.Name, Hash: v.Hash, Doc: d.Doc, Source: v.Source, Params: []paramRow{}, Schema: schema.Params(d),
		States: statesOf(d, stats), Events: schema.Sendable(d), Budget: budgetOf(d.Budget),
	}
	for i := range d.Params {
		f := &d.Params[i]
		answer.Params = append(answer.Params, paramRow{f.Name, d.FieldType(f), f.Doc})
	}
	if a.front != nil && v.Source != "" {
		answer.Bounds = a.front.WorstCase(r.Context(), v)
	}
	return writeJSON(w, http.StatusOK, &answer)
}

// statesOf are the states of a machine below its top, with the runs that are in each.
func statesOf(d *machine.Definition, stats *runtime.Stats) []stateRow {
	rows := []stateRow{}
	for i := range d.States {
		s := &d.States[i]
		if s.Path == "" {
			continue
		}
		row := stateRow{Path: s.Path, Kind: s.Kind, Outcome: s.Outcome, Doc: s.Doc}
		for _, of := range stats.States {
			if of.Machine == d.Name && of.State == s.Path {
				row.Runs, row.Halted, row.Paused = of.Runs, of.Halted, of.Paused
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func budgetOf(b *machine.Budget) *budgetRow {
	if b == nil {
		return nil
	}
	row := &budgetRow{Steps: b.Steps, Costs: map[string]string{}}
	if b.Time != nil {
		row.Time = machine.DurationText(time.Duration(*b.Time))
	}
	for _, c := range b.Costs {
		row.Costs[c.Name] = c.Amount
	}
	return row
}

// errNoFrontEnd is the answer of a route that draws or compiles.
func errNoFrontEnd(what string) *Problem {
	return problem(http.StatusNotImplemented, "not-here", "not here", "this server cannot %s: fsmc serve can", what)
}

// noVersion says that what a run has as its definition cannot be read.
func noVersion(run string, err error) error {
	if errors.Is(err, runtime.ErrNotFound) {
		return fmt.Errorf("the definition of run %q is not in the database", run)
	}
	return err
}
