package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/check/breaking"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// countedRuns is how many runs of a point are counted, and fewIDs how many are named.
const (
	countedRuns = 1000
	fewIDs      = 3
)

// unfinished are those runs that fsmc migrate is about.
var unfinished = []runtime.Status{runtime.Running, runtime.Halted}

// affected are the unfinished runs that a point concerns.
type affected struct {
	Count int      `json:"count"` // at most 1,000
	More  bool     `json:"more"`  // there are more
	IDs   []string `json:"ids"`   // a few of them
}

// text is a clause.
func (a *affected) text() string {
	if a.Count == 0 {
		return "no unfinished run is concerned"
	}
	ids := make([]string, len(a.IDs))
	for i, id := range a.IDs {
		ids[i] = describe.Plain(id, 100)
	}
	more := ""
	if a.Count > len(ids) {
		more = ", …"
	}
	return a.count("unfinished run") + ": " + strings.Join(ids, ", ") + more
}

func (a *affected) count(what string) string {
	if a.More {
		return "more than " + describe.Count(a.Count, what)
	}
	return describe.Count(a.Count, what)
}

// versions are the definitions in a store that runs have, by machine.
type versions struct {
	of   runtime.Store
	rows []store.DefinitionRow
}

func versionsOf(ctx context.Context, of runtime.Store) (*versions, error) {
	rows, err := of.Definitions(ctx)
	if err != nil {
		return nil, fmt.Errorf("the definitions cannot be read: %w", err)
	}
	return &versions{of, rows}, nil
}

// names are those of the machines, in order.
func (v *versions) names() []string {
	var out []string
	for _, row := range v.rows {
		out = append(out, row.Machine)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// older are the definitions of a machine but for the one with a hash, which may be empty.
func (v *versions) older(name, hash string) []store.DefinitionRow {
	out := slices.DeleteFunc(slices.Clone(v.rows), func(row store.DefinitionRow) bool { return row.Machine != name || row.Hash == hash })
	slices.SortFunc(out, func(a, b store.DefinitionRow) int { return strings.Compare(a.Hash, b.Hash) })
	return out
}

// runs counts the unfinished runs of definitions, up to a limit: those that stand in a state,
// or with an empty one all.
func (v *versions) runs(ctx context.Context, of []store.DefinitionRow, state string, limit int) (*affected, error) {
	out := &affected{IDs: []string{}}
	for _, row := range of {
		for _, status := range unfinished {
			rows, err := v.of.Runs(ctx, runtime.RunFilter{
				Machine: row.Machine, Definition: row.Hash, State: state, Status: status, Limit: limit + 1 - out.Count,
			})
			if err != nil {
				return nil, fmt.Errorf("the runs of %q cannot be read: %w", row.Machine, err)
			}
			for _, run := range rows {
				if out.Count == limit {
					out.More = true
					return out, nil
				}
				if out.Count++; len(out.IDs) < fewIDs {
					out.IDs = append(out.IDs, run.Run)
				}
			}
		}
	}
	return out, nil
}

// called are the hashes of the definitions that those of unfinished runs call.
func (v *versions) called(ctx context.Context) (map[string]bool, error) {
	out := map[string]bool{}
	for _, row := range v.rows {
		var definition machine.Definition
		if err := json.Unmarshal(row.Definition, &definition); err != nil {
			return nil, fmt.Errorf("the definition %.12s of %q cannot be read: %w", row.Hash, row.Machine, err)
		}
		calls := func(a machine.Activity) bool { return a.Callee != "" && !out[a.Callee] }
		if !slices.ContainsFunc(definition.Activities, calls) {
			continue
		}
		if n, err := v.runs(ctx, []store.DefinitionRow{row}, "", 1); err != nil {
			return nil, err
		} else if n.Count == 0 {
			continue
		}
		for _, a := range definition.Activities {
			if a.Callee != "" {
				out[a.Callee] = true
			}
		}
	}
	return out, nil
}

// count asks the database which runs each point concerns: those of any other definition than
// the new one.
func (b *breaker) count(ctx context.Context, r *breakingReport) error {
	r.runs = map[*breaking.Point]*affected{}
	return b.with(ctx, readOnly, "", func(of runtime.Store) error {
		all, err := versionsOf(ctx, of)
		if err != nil {
			return err
		}
		for _, list := range [][]breaking.Point{r.Points, r.Allowed} {
			for i := range list {
				p := &list[i]
				if r.runs[p], err = all.concerned(ctx, p); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (v *versions) concerned(ctx context.Context, p *breaking.Point) (*affected, error) {
	if p.Bites.None {
		return &affected{IDs: []string{}}, nil
	}
	hash := ""
	if p.By != nil {
		x, err := machine.Compile(table.Compile(p.By))
		if err != nil {
			return nil, err
		}
		hash = x.Hash()
	}
	return v.runs(ctx, v.older(p.Machine, hash), p.Bites.State, countedRuns)
}
