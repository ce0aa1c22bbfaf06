package asl_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fsmc-dev/fsmc/codegen/foreign/asl"
	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/fsmtest"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// played is what is compared of a run.
type played struct {
	Path   []string // the states of the original that the execution was in
	Failed string   // with which error
	Cause  string
	Output any
	Calls  []string // the attempts of Tasks, of all branches and elements, sorted
	may    []string // those that are made or not
}

// asked is an attempt of a Task as both tell it.
func asked(task string, request any, attempt int) string {
	text, _ := json.Marshal(sorted(usual(request)))
	return fmt.Sprintf("%s(%s) %d", plain(task), text, attempt)
}

// answers are what Tasks end with: the same for the same request, whoever asks. They take times
// that differ, so that it is certain what comes first.
func answers(seed uint64) func(name string, request any, attempt int) answer {
	return func(name string, request any, attempt int) answer {
		hash := seed + 14695981039346656037
		for _, c := range []byte(asked(name, request, attempt)) {
			hash = (hash ^ uint64(c)) * 1099511628211
		}
		r := rand.New(rand.NewPCG(seed, hash))
		a := answer{takes: time.Duration(1+r.IntN(1_000_000)) * 37 * time.Microsecond * 10}
		switch n := r.IntN(12); {
		case n < 2:
			a.err = []string{"Busy", "No.Quota", "Other"}[r.IntN(3)]
		default:
			a.result = sample(r, 2)
		}
		return a
	}
}

// sample is an object like those that the random machines read.
func sample(r *rand.Rand, depth int) object {
	items := []any{}
	if depth > 0 {
		for n := range r.IntN(4) {
			item := sample(r, depth-1)
			item["at"] = float64(n)
			items = append(items, item)
		}
	}
	return object{"n": float64(r.IntN(10)), "id": float64(r.IntN(1_000_000)), "list": items}
}

// usual is a value as both have it: what a ResultPath keeps stands in its place, a constant is not
// behind a key, and what is null is absent.
func usual(v any) any {
	switch v := v.(type) {
	case object:
		if inner, ok := v["value"]; ok && len(v) == 1 {
			return usual(inner)
		}
		data, whole := v["data"]
		out := object{}
		if inner, ok := usual(data).(object); whole && ok {
			out = inner
		}
		for k, member := range v {
			if member = usual(member); member != nil && !(whole && k == "data") {
				out[k] = member
			} else if whole && k != "data" {
				delete(out, k)
			}
		}
		if name, ok := out["Error"].(string); ok {
			out["Error"] = plain(name) // a category is spelled otherwise, and one that no rule names is unknown
			if cause, _ := out["Cause"].(string); name == "unknown" {
				out["Error"] = plain(cause)
			}
		}
		return out
	case unordered:
		return unordered(usual([]any(v)).([]any))
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = usual(item)
		}
		return out
	}
	return v
}

// sorted is a value whose lists are in an order that hangs on nothing.
func sorted(v any) any {
	var items []any
	switch v := v.(type) {
	case object:
		out := object{}
		for k, member := range v {
			out[k] = sorted(member)
		}
		return out
	case unordered:
		items = v
	case []any:
		items = v
	default:
		return v
	}
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = sorted(item)
	}
	text := func(v any) string { t, _ := json.Marshal(v); return string(t) }
	slices.SortFunc(out, func(a, b any) int { return cmp.Compare(text(a), text(b)) })
	return out
}

// same reports whether two values are equal, but for the order of what is unordered.
func same(want, got any) bool {
	switch w := want.(type) {
	case object:
		g, ok := got.(object)
		for k := range w {
			ok = ok && same(w[k], g[k])
		}
		return ok && len(w) == len(g)
	case []any:
		g, ok := got.([]any)
		return ok && slices.EqualFunc(w, g, same)
	case unordered:
		g, ok := got.([]any)
		left := slices.Clone(g)
		for _, item := range w {
			i := slices.IndexFunc(left, func(o any) bool { return same(item, o) })
			if i < 0 {
				return false
			}
			left = slices.Delete(left, i, i+1)
		}
		return ok && len(left) == 0
	}
	return want == got
}

// plain is a name without what the importer changes of it.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}

// interpreted is a run by the interpreter.
func interpreted(def object, input any, task func(string, any, int) answer) played {
	i := &interpreter{task: task, input: input}
	e := i.run(def, input, 0)
	p := played{Path: []string{}, Failed: plain(e.err), Cause: e.cause, Output: usual(e.output), Calls: []string{}}
	if e.err != "" {
		p.Output = nil
	}
	for _, s := range e.path {
		p.Path = append(p.Path, plain(s))
	}
	for _, c := range i.calls {
		if c.may {
			p.may = append(p.may, c.what)
		} else {
			p.Calls = append(p.Calls, c.what)
		}
	}
	slices.Sort(p.Calls)
	return p
}

// compiled is a definition imported, with the machines of its branches and elements; the first is its own.
func compiled(t *testing.T, def object) (own *runtime.Machine, called []*runtime.Machine, text string) {
	t.Helper()
	original, err := json.MarshalIndent(def, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	result, err := asl.Source.Read("x", original)
	if err != nil {
		t.Fatalf("%v\n%s", err, original)
	}
	for _, m := range tabletest.Machines(t, string(result.Text)) {
		if m.Definition().Name == "X" {
			own = m
		} else {
			called = append(called, m)
		}
	}
	return own, called, string(original) + "\n" + string(result.Text)
}

// imported is runs by the engine, with the machines of branches and elements as children.
func imported(t *testing.T, def object, own *runtime.Machine, called []*runtime.Machine, inputs []any, tasks []func(string, any, int) answer) (all []played) {
	t.Helper()
	calls, mu := map[string][]string{}, sync.Mutex{}
	fsmtest.Play(t, own, func(p *fsmtest.T) {
		for _, m := range append([]*runtime.Machine{own}, called...) {
			for _, a := range m.Definition().Activities {
				if a.Callee != "" {
					continue
				}
				p.Activity(a.Name, func(ctx context.Context, at *runtime.Attempt) (runtime.Result, error) {
					var args struct{ Request any }
					if err := json.Unmarshal(at.Args, &args); err != nil {
						return runtime.Result{}, err
					}
					root, _, _ := strings.Cut(at.Run, "/")
					n := 0
					fmt.Sscanf(root, "run-%d", &n)
					mu.Lock()
					calls[root] = append(calls[root], asked(at.Activity, args.Request, at.Number))
					mu.Unlock()
					answer := tasks[n-1](plain(at.Activity), args.Request, at.Number)
					outcome := fsmtest.Raises(raised(m, at.Activity), map[string]any{"result": answer.result})
					if answer.err != "" {
						outcome = func(context.Context, *runtime.Attempt) (runtime.Result, error) {
							return runtime.Result{}, runtime.Fail(categoryOf(m, answer.err), answer.err)
						}
					}
					return fsmtest.After(answer.takes, outcome)(ctx, at)
				})
			}
		}
		for _, input := range inputs {
			params, _ := json.Marshal(object{"input": input})
			run := p.Start(json.RawMessage(params))
			all = append(all, told(p, def, run, run.Wait()))
			mu.Lock()
			slices.Sort(calls[run.ID])
			all[len(all)-1].Calls = append([]string{}, calls[run.ID]...)
			mu.Unlock()
		}
	}, called...)
	return all
}

// told is a run that has ended.
func told(t *fsmtest.T, def object, run *fsmtest.Run, v runtime.View) played {
	t.Helper()
	p := played{Path: []string{}}
	known := map[string]bool{}
	for name := range def["States"].(object) {
		known[plain(name)] = true
	}
	for _, s := range run.Path() {
		if known[plain(s)] {
			p.Path = append(p.Path, plain(s))
		}
	}
	if v.Status != machine.Finished {
		p.Failed = fmt.Sprintf("%s: %+v", v.Status, v.Halt)
		return p
	}
	var returns object
	if err := json.Unmarshal(v.Returns, &returns); err != nil {
		t.Fatalf("it returns %s: %v", v.Returns, err)
	}
	if v.Outcome == machine.Success {
		p.Output = usual(returns)
		if list, ok := returns["data"].([]any); ok {
			p.Output = usual(list)
		}
		return p
	}
	p.Failed, _ = returns["error_name"].(string)
	p.Failed = plain(p.Failed)
	p.Cause, _ = returns["error_cause"].(string)
	return p
}

// raised is the event of an activity.
func raised(m *runtime.Machine, activity string) string {
	d := m.Definition()
	i := slices.IndexFunc(d.Activities, func(a machine.Activity) bool { return a.Name == activity })
	return d.Events[d.Activities[i].Results[0]].Name
}

// categoryOf is what an error is called by the importer.
func categoryOf(m *runtime.Machine, name string) string {
	for _, c := range m.Definition().Categories {
		if plain(c) == plain(name) {
			return c
		}
	}
	return "unknown"
}

// held compares runs of a definition, and is how often something was met.
func held(t *testing.T, def object, inputs []any, tasks []func(string, any, int) answer, met map[string]int) {
	t.Helper()
	own, called, text := compiled(t, def)
	got := imported(t, def, own, called, inputs, tasks)
	for n, input := range inputs {
		want := interpreted(def, input, tasks[n])
		if want.Failed == plain(want.Cause) && got[n].Failed == "unknown" {
			got[n].Failed = want.Failed // an error of a Task that no rule around it names
		}
		got[n].Calls = slices.DeleteFunc(got[n].Calls, func(c string) bool { return slices.Contains(want.may, c) && !slices.Contains(want.Calls, c) })
		if same(want.Output, got[n].Output) {
			got[n].Output = want.Output
		}
		if d := diff.Diff(want, got[n], cmpopts.IgnoreUnexported(played{})); d != "" {
			in, _ := json.Marshal(input)
			t.Fatalf("run %d with %s (-original +imported):\n%s\n%s", n, in, d, text)
		}
		met["failed with "+want.Failed]++
		met["calls"] += len(want.Calls)
	}
}

// writer makes random definitions. Names are all different, and steps lead forward.
type writer struct {
	*rand.Rand
	names int
}

func (w *writer) name(kind string) string {
	w.names++
	return fmt.Sprintf("%s %d", kind, w.names)
}

func (w *writer) pick(of ...string) string { return of[w.IntN(len(of))] }

// definition is states in a row; each leads to a later one, or is the end.
func (w *writer) definition(depth int) object {
	states := object{}
	order := make([]string, 2+w.IntN(4))
	kinds := make([]string, len(order))
	for i := range order {
		kinds[i] = w.pick("Task", "Task", "Pass", "Choice", "Wait")
		if depth > 0 {
			kinds[i] = w.pick("Task", "Parallel", "Map", kinds[i])
		}
		if i == 0 && depth < 2 {
			kinds[i] = "Task" // which takes a time of its own, so that no two branches end at one moment
		}
		if i == len(order)-1 {
			kinds[i] = w.pick("Task", "Succeed", "Fail", "Pass")
		}
		order[i] = w.name(kinds[i])
	}
	for i, name := range order {
		later := func() string { return order[i+1+w.IntN(len(order)-i-1)] }
		st := object{"Type": kinds[i]}
		last := i == len(order)-1
		switch kinds[i] {
		case "Choice":
			st["Choices"] = []any{object{"Variable": "$.n", "NumericLessThan": float64(3 + w.IntN(4)), "Next": later()}}
			st["Default"] = later()
		case "Fail":
			st["Error"], st["Cause"] = w.pick("No.Quota", "Broken", "Busy"), "so it is"
		case "Succeed":
		default:
			if last {
				st["End"] = true
			} else {
				st["Next"] = later()
			}
		}
		switch kinds[i] {
		case "Wait":
			st["Seconds"] = float64(1 + w.IntN(9))
		case "Pass":
			if w.IntN(2) == 0 {
				st["Parameters"] = object{"n.$": "$.n", "id": float64(w.IntN(100)), "list.$": "$.list"}
			}
		case "Task":
			st["Resource"] = name
			w.keeps(st, "$.list", "$.task")
			w.rules(st, later, last, true)
		case "Parallel":
			for range 1 + w.IntN(3) {
				st["Branches"] = append(list(st["Branches"]), w.definition(depth-1))
			}
			w.keeps(st, "$.both")
			w.rules(st, later, last, false)
		case "Map":
			st["ItemsPath"] = "$.list"
			st["ItemProcessor"] = w.definition(depth - 1)
			if w.IntN(2) == 0 {
				st["ItemSelector"] = object{"n.$": "$.n", "id.$": "$$.Map.Item.Index", "list.$": "$$.Map.Item.Value.list"}
			}
			switch w.IntN(6) {
			case 0:
				st["ToleratedFailureCount"] = float64(1 + w.IntN(2))
			case 1:
				st["ToleratedFailurePercentage"] = 100.0
			case 2:
				st["ToleratedFailurePercentage"], st["ToleratedFailureCount"] = 100.0, 1.0
			case 3:
				st["ItemProcessor"].(object)["ProcessorConfig"] = object{"Mode": "DISTRIBUTED"}
			}
			if w.IntN(2) == 0 {
				st["MaxConcurrency"] = float64(1 + w.IntN(2))
			}
			w.keeps(st, "$.all")
			w.rules(st, later, last, false)
		}
		states[name] = st
	}
	return object{"StartAt": order[0], "States": states}
}

// keeps says where a result goes that is not read by what comes later.
func (w *writer) keeps(st object, paths ...string) {
	paths = slices.DeleteFunc(paths, func(p string) bool { return p == "$.list" })
	if _, fans := st["Resource"]; !fans || w.IntN(2) == 0 {
		st["ResultPath"] = paths[w.IntN(len(paths))]
		if w.IntN(4) == 0 {
			st["ResultPath"] = nil
		}
	}
}

func (w *writer) rules(st object, later func() string, last, task bool) {
	if task && w.IntN(2) == 0 {
		st["Retry"] = []any{object{"ErrorEquals": []any{w.pick("Busy", "No.Quota", "States.ALL")}, "MaxAttempts": float64(w.IntN(3)), "IntervalSeconds": float64(1 + w.IntN(3)), "BackoffRate": float64(1 + w.IntN(2))}}
	}
	if last || w.IntN(2) == 0 {
		return
	}
	for _, name := range []string{w.pick("Busy", "No.Quota", "Broken", "States.ExceedToleratedFailureThreshold", "States.TaskFailed"), "States.ALL"}[w.IntN(2):] {
		c := object{"ErrorEquals": []any{name}, "Next": later()}
		c["ResultPath"] = "$.error"
		st["Catch"] = append(list(st["Catch"]), c)
	}
}

// TestMapAndParallelMoveAsTheyDo runs random imported machines with Map and Parallel beside an
// interpreter of the States Language: the same path, the same attempts, the same end.
func TestMapAndParallelMoveAsTheyDo(t *testing.T) {
	machines, runs := 125, 8 // a thousand runs
	if testing.Short() {
		machines = 15
	}
	met := map[string]int{}
	for seed := range machines {
		w := &writer{Rand: rand.New(rand.NewPCG(uint64(seed), 19))}
		def := w.definition(2)
		var inputs []any
		var tasks []func(string, any, int) answer
		for n := range runs {
			inputs = append(inputs, sample(w.Rand, 3))
			tasks = append(tasks, answers(uint64(seed*1000+n)))
		}
		held(t, def, inputs, tasks, met)
	}
	for _, what := range slices.Sorted(maps.Keys(met)) {
		t.Logf("%s: %d", what, met[what])
	}
	if cmp.Or(met["failed with "], 0) < machines || met["calls"] < machines*runs {
		t.Errorf("the runs meet too little: %v", met)
	}
}
