package mcp_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/mcp"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// must ends a test that cannot go on with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestARun(t *testing.T) {
	b := newBench(t)
	s := b.takes("start_run", started)
	if s.State != "Waiting" || s.Status != "running" || s.Seq != 1 || string(s.Params) != `{"item":"lamp","most":100}` ||
		!strings.Contains(s.Summary, "p1 is in Waiting since") || !strings.Contains(s.Summary, "waiting for Approve or Remark or Ask, until ") {
		t.Errorf("%+v", s)
	}
	if diff := cmp.Diff([]string{"Approve", "Remark", "Ask"}, s.events()); diff != "" {
		t.Error(diff)
	}
	if s.Next[0].Doc != "Somebody says yes." || s.Next[0].Schema["type"] != "object" {
		t.Errorf("%+v", s.Next[0])
	}
	s = b.takes("send_event", `{"run": "p1", "event": "Approve", "data": {"price": 30, "way": "post"}, "if_seq": 1, "event_id": "a", "reason": "fair"}`)
	if s.State != "Ordering" || len(s.Next) != 0 || len(s.Open) != 1 || s.Open[0].Activity != "Ordering.order" && s.Open[0].Activity != "order" || s.Open[0].Events[0].Event != "Ordered" {
		t.Errorf("%+v", s)
	}
	last := s.Recent[len(s.Recent)-1]
	if last.Input != "Approve" || last.Actor != "mcp:tester" || last.Reason != "fair" || last.To != "Ordering" {
		t.Errorf("%+v", last)
	}
	again := b.takes("send_event", `{"run": "p1", "event": "Approve", "data": {"price": 30, "way": "post"}, "event_id": "a"}`)
	if !again.Repeated || again.Seq != s.Seq {
		t.Errorf("%+v", again)
	}
	b.refuses("complete_activity", `{"run": "p1", "activity": "order", "event": "Approve"}`, "complete is refused")
	s = b.takes("complete_activity", `{"run": "p1", "activity": "`+s.Open[0].Activity+`", "event": "Ordered", "data": {"note": "by phone"}, "reason": "the shop is offline"}`)
	if s.Status != "finished" || s.Outcome != "success" || string(s.Returns) != `{"note":"by phone"}` || len(s.Commands) != 0 {
		t.Errorf("%+v", s)
	}
	s = b.refuses("send_event", `{"run": "p1", "event": "Approve"}`, `event "Approve" is refused in state "Bought"`)
	if s.State != "Bought" {
		t.Errorf("%+v", s)
	}
}

func TestSteering(t *testing.T) {
	b := newBench(t)
	b.takes("start_run", started)
	if s := b.takes("pause_run", `{"run": "p1", "reason": "lunch"}`); !slices.Contains(s.Commands, "resume") || !strings.Contains(s.Summary, "paused") {
		t.Errorf("%+v", s)
	}
	if s := b.takes("resume_run", `{"run": "p1"}`); !slices.Contains(s.Commands, "pause") {
		t.Errorf("%+v", s)
	}
	b.refuses("retry_run", `{"run": "p1"}`, "retry is refused")
	if s := b.takes("cancel_run", `{"run": "p1", "force": true, "reason": "no money"}`); s.Outcome != "cancelled" || s.Recent[len(s.Recent)-1].Reason != "no money" {
		t.Errorf("%+v", s)
	}
	b.refuses("resume_run", `{"run": "p1"}`, "resume is refused")
}

// TestRefusalsLead holds that a refused event changes nothing, and that the answer says what would be taken.
func TestRefusalsLead(t *testing.T) {
	b := newBench(t)
	b.takes("start_run", started)
	for _, c := range []struct{ args, why string }{
		{`"event": "Aprove"`, `event "Aprove" is refused in state "Waiting": `},
		{`"event": "Ordered", "data": {"note": ""}`, `activities alone raise it; allowed there: Approve, Remark, Ask`},
		{`"event": "Approve"`, `field "price": it is missing, expected int 0..2000`},
		{`"event": "Approve", "data": {"price": "30", "way": "post"}`, `field "price": expected int 0..2000, found a string`},
		{`"event": "Approve", "data": {"price": 1, "way": "mule"}`, `field "way": "mule" is not one of post, courier`},
		{`"event": "Approve", "data": {"price": 1, "price": 2, "way": "post"}`, `field "price": it is given twice`},
		{`"event": "Approve", "data": {"price": 101, "way": "post"}`, "when event.price <= most"},
		{`"event": "Approve", "data": {"price": 1, "way": "post"}, "if_seq": 7`, "step"},
		{`"event": "Ask", "data": {"by": "ada"}`, "--activities DIR of fsmc mcp says where its executable is"},
	} {
		s := b.refuses("send_event", `{"run": "p1", `+c.args+`}`, c.why)
		if diff := cmp.Diff([]string{"Approve", "Remark", "Ask"}, s.events()); diff != "" || s.Seq != 1 {
			t.Errorf("%s: seq %d, %s", c.args, s.Seq, diff)
		}
	}
}

func TestArguments(t *testing.T) {
	b := newBench(t)
	b.takes("start_run", started)
	for _, c := range []struct{ tool, args, why string }{
		{"get_run", `{}`, `the argument "run" is missing: the id of the run`},
		{"get_run", `{"run": null}`, `the argument "run" is missing`},
		{"get_run", `{"run": 1}`, `the argument "run" has to be a string, and is 1`},
		{"get_run", `{"rum": "p1"}`, `there is no argument "rum" (did you mean "run"?)`},
		{"get_run", `{"run": "p1", "run": "p2"}`, `the argument "run" is given twice`},
		{"get_run", `{"run": "p2"}`, `there is no run "p2" in the database (did you mean "p1"?)`},
		{"get_run", `{"run": ""}`, `run`},
		{"list_machines", `{"x": 1}`, `there is no argument "x": this tool has none`},
		{"list_runs", `{"where": "machin=Purchase"}`, `where: `},
		{"list_runs", `{"where": "machine=Purchaze"}`, `no machine "Purchaze" in the database (did you mean "Purchase"?)`},
		{"list_runs", `{"limit": 0}`, `the argument "limit" has to be from 1 to 500, and is 0`},
		{"list_runs", `{"limit": 1.5}`, `the argument "limit" has to be a whole number, and is 1.5`},
		{"list_runs", `{"limit": 99999999999999999999}`, `the argument "limit" has to be a whole number`},
		{"list_runs", `{"after": "nobody"}`, `there is no run "nobody" in the database`},
		{"get_history", `{"run": "p9"}`, `there is no run "p9" in the database`},
		{"health", `{"stuck": "soon"}`, `stuck: `},
		{"health", `{"stuck": "Nowhere=1h"}`, `no machine in the database has runs that can be in "Nowhere"`},
		{"stats", `{"machine": "Purchaze"}`, `no machine "Purchaze" in the database`},
		{"stats", `{"since": "-1h"}`, `since: `},
		{"start_run", `{"machine": "Purchaze"}`, `Purchaze`},
		{"start_run", `{"machine": "Purchase", "id": "p1", "params": {"item": "x", "most": 1}}`, `p1`},
		{"start_run", `{"machine": "Purchase", "id": "", "params": {"item": "x", "most": 1}}`, `id is empty`},
		{"start_run", `{"machine": "Purchase", "id": "a/b", "params": {"item": "x", "most": 1}}`, `the id of a run has no "/"`},
		{"start_run", `{"machine": "Purchase", "id": "a\u0000b", "params": {"item": "x", "most": 1}}`, `the id of a run has no control characters`},
		{"start_run", `{"machine": "Purchase", "id": "p2"}`, `parameter "item": it is missing`},
		{"start_run", `{"machine": "Purchase", "id": "p2", "params": {"item": "x", "most": 0}}`, `parameter "most": 0 is out of range`},
		{"start_run", `{"machine": "Purchase", "id": "p2", "params": "{}"}`, `the argument "params" has to be an object, and is "{}"`},
		{"start_run", `{"machine": "Purchase", "id": "p2", "params": {"item": "x", "most": 1}, "tags": {"team": 5}}`, `tags are an object of texts`},
		{"start_run", `{"machine": "Purchase", "id": "p2", "params": {"item": "x", "most": 1}, "tags": {"Team": "pay"}}`, `is no name of a tag`},
		{"list_runs", `{"where": "tag.Team=pay"}`, `is no name of a tag`},
		{"send_event", `{"run": "p1", "event": "Remark", "event_id": ""}`, `event_id is empty`},
		{"cancel_run", `{"run": "p1", "force": "yes"}`, `the argument "force" has to be true or false`},
		{"complete_activity", `{"run": "p1", "activity": "order"}`, `complete is refused`},
		{"simulate", `{}`, `name either a "machine" or a "run"`},
		{"simulate", `{"machine": "Purchase", "run": "p1"}`, `name either a "machine" or a "run"`},
		{"simulate", `{"run": "p1", "at": 9}`, `run "p1" has taken 1 step: there is no step 9`},
		{"simulate", `{"run": "p1", "inputs": [{"evnt": "Approve"}]}`, `input 1: there is no member "evnt": an input is an object such as {"event": "Approve", "data": {…}}`},
		{"simulate", `{"run": "p1", "inputs": [{"event": "Approve"}, "Approve"]}`, `input 2: it is a string: an input is an object such as `},
		{"simulate", `{"run": "p1", "inputs": [{"event": 3}]}`, `input 1: "event" has to be a string, and is a number: an input is an object such as `},
		{"simulate", `{"run": "p1", "inputs": [{"event": "Aprove"}]}`, `input 1: event "Aprove" is refused`},
		{"simulate", `{"run": "p1", "inputs": [` + strings.TrimSuffix(strings.Repeat(`{"command":"pause"},`, 1001), ",") + `]}`, `inputs: there are 1001, more than the 1000 that are allowed`},
		{"check_machine", `{}`, `the argument "source" is missing`},
	} {
		b.refuses(c.tool, c.args, c.why)
	}
	if rows := decoded[struct{ Runs []any }](t, b.json("list_runs", `{}`)).Runs; len(rows) != 1 {
		t.Errorf("there are %d runs", len(rows))
	}
	if _, err := b.session.CallTool(t.Context(), &sdk.CallToolParams{Name: "drop_tables"}); err == nil || !strings.Contains(err.Error(), `unknown tool "drop_tables"`) {
		t.Errorf("got %v", err)
	}
}

func TestLooking(t *testing.T) {
	b := newBench(t)
	if text := b.json("list_runs", `{}`); string(text) != `{"next":null,"runs":[]}` {
		t.Errorf("got %s", text)
	}
	for _, id := range []string{"a", "b", "c"} {
		b.takes("start_run", strings.Replace(started, "p1", id, 1))
	}
	type page struct {
		Runs []struct{ Run string }
		Next *string
	}
	first := decoded[page](t, b.json("list_runs", `{"limit": 2, "where": "machine=Purchase state=Waiting"}`))
	second := decoded[page](t, b.json("list_runs", `{"limit": 2, "after": "`+*first.Next+`"}`))
	if len(first.Runs) != 2 || len(second.Runs) != 1 || second.Next != nil {
		t.Errorf("%+v, then %+v", first, second)
	}
	machines := decoded[struct {
		Machines []struct {
			Name, Doc string
			Versions  int
			Params    map[string]any
			Events    []struct{ Event string }
		}
	}](t, b.json("list_machines", `{}`)).Machines
	if len(machines) != 1 || machines[0].Name != "Purchase" || machines[0].Doc != "Buys something." || machines[0].Versions != 1 || len(machines[0].Events) != 3 || machines[0].Params["required"] == nil {
		t.Errorf("%+v", machines)
	}
	for range 4 {
		b.takes("send_event", `{"run": "a", "event": "Remark", "data": {"run": "x", "note": "y"}}`)
	}
	type history struct {
		Steps        []struct{ Seq int64 }
		Last, Before int64
	}
	h := decoded[history](t, b.json("get_history", `{"run": "a", "last": 2}`))
	if len(h.Steps) != 2 || h.Steps[1].Seq != 5 || h.Last != 5 || h.Before != 4 {
		t.Errorf("%+v", h)
	}
	h = decoded[history](t, b.json("get_history", `{"run": "a", "before": 4}`))
	if len(h.Steps) != 3 || h.Steps[0].Seq != 1 || h.Before != 0 {
		t.Errorf("%+v", h)
	}
	b.json("health", `{"stuck": "Waiting=1h"}`)
	b.json("stats", `{"machine": "Purchase", "since": "7d"}`)
	b.json("check_machine", `{"source": "machine"}`)
	b.json("explain_rule", `{"rule": "dead-end"}`)
}

func TestSimulate(t *testing.T) {
	b := newBench(t)
	b.takes("start_run", started)
	type played struct {
		Summary string
		Steps   []struct{ To string }
		View    struct{ State string }
		Choices []struct{ Input map[string]any }
		Ask     *struct{ Guard string }
	}
	p := decoded[played](t, b.json("simulate", `{"run": "p1", "inputs": [{"event": "Approve", "data": {"price": 3, "way": "courier"}}, {"activity": "order", "fails": "busy"}]}`))
	if p.View.State != "Lost" || len(p.Steps) != 2 || !strings.Contains(p.Summary, "Lost") || len(p.Choices) != 0 {
		t.Errorf("%+v", p)
	}
	p = decoded[played](t, b.json("simulate", `{"machine": "Purchase", "params": {"item": "x", "most": 9}, "inputs": [{"event": "Ask", "data": {"by": "ada"}}]}`))
	if p.View.State != "Waiting" || p.Ask == nil || p.Ask.Guard != "is_known" || !strings.Contains(p.Summary, "is_known") || len(p.Choices) == 0 {
		t.Errorf("%+v", p)
	}
	p = decoded[played](t, b.json("simulate", `{"run": "p1", "at": 1, "inputs": [{"wait": "2h"}]}`))
	if p.View.State != "Forgotten" {
		t.Errorf("%+v", p)
	}
	if v, err := b.engine.Get(t.Context(), "p1"); err != nil || v.Seq != 1 {
		t.Errorf("the simulation has moved the run: %+v, %v", v, err)
	}
}

func TestResources(t *testing.T) {
	b := newBench(t)
	b.takes("start_run", strings.Replace(started, "p1", "..x?y#z %41", 1))
	for uri, want := range map[string]string{
		"fsm://machines/Purchase":                    purchase,
		"fsm://machines/Purchase/diagram":            "flowchart of Purchase",
		"fsm://runs/..x%3Fy%23z%20%2541":             `"current_state":"Waiting"`,
		"fsm://machines/Purchaze":                    "",
		"fsm://machines/Purchaze/diagram":            "",
		"fsm://runs/nobody":                          "",
		"fsm://runs/%zz":                             "",
		"fsm://else/x":                               "",
		"file:///etc/passwd":                         "",
		"fsm://machines/..%2F..%2Fetc%2Fpasswd":      "",
		"fsm://runs/" + strings.Repeat("x", 100_000): "",
	} {
		r, err := b.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		switch {
		case want == "" && err == nil:
			t.Errorf("%.60s: got %+v", uri, r.Contents[0])
		case want != "" && (err != nil || !strings.Contains(r.Contents[0].Text, want)):
			t.Errorf("%s: %v, %+v", uri, err, r)
		}
	}
}

func TestMachineTools(t *testing.T) {
	b := newBench(t, func(o *mcp.Options) { o.Machine = "Purchase" })
	b.takes("start_run", started)
	for _, c := range []struct{ tool, args, why string }{
		{"Purchase_Approve", `{"price": 1, "way": "post"}`, `the argument "run" is missing`},
		{"Purchase_Approve", `{"run": "p1", "price": 1}`, `field "way": it is missing, expected Way, one of post, courier`},
		{"Purchase_Approve", `{"run": "p1", "price": 1, "prize": 1, "way": "post"}`, `there is no argument "prize" (did you mean "price"?)`},
		{"Purchase_Approve", `{"run": "p1", "price": true, "way": "post"}`, `field "price": expected int 0..2000`},
		{"Purchase_Approve", `{"run": "nobody", "price": 1, "way": "post"}`, `there is no run "nobody"`},
	} {
		b.refuses(c.tool, c.args, c.why)
	}
	// A field has the name of the argument that names the run.
	if s := b.takes("Purchase_Remark", `{"run_": "p1", "run": "fast", "note": "<b>&"}`); !strings.Contains(s.Summary, "Waiting") || string(s.Data) != `{"note":"\u003cb\u003e\u0026","price":0}` {
		t.Errorf("got %s", s.Data)
	}
	if s := b.takes("Purchase_Approve", `{"run": "p1", "price": 1, "way": "post", "by": null}`); s.State != "Ordering" {
		t.Errorf("%+v", s)
	}
	register(t, b.engine, "machine Other { event Approve\n initial A state A { on Approve -> Done after 1h -> Done } terminal Done }")
	b.takes("start_run", `{"machine": "Other", "id": "o"}`)
	b.refuses("Purchase_Approve", `{"run": "o", "price": 1, "way": "post"}`, `run "o" belongs to machine "Other", not to "Purchase"`)
}

func TestUnknownMachine(t *testing.T) {
	engine := runtime.NewEngine(memstore.New())
	register(t, engine, purchase)
	_, err := mcp.New(t.Context(), mcp.Options{Engine: engine, Machine: "Purchaze"})
	if err == nil || err.Error() != `no machine "Purchaze" in the database (did you mean "Purchase"?)` {
		t.Errorf("got %v", err)
	}
}

func TestReadOnly(t *testing.T) {
	b := newBench(t, func(o *mcp.Options) { o.ReadOnly, o.Machine = true, "Purchase" })
	var names []string
	for name := range b.outputs {
		names = append(names, name)
	}
	slices.Sort(names)
	want := []string{"check_machine", "explain_rule", "get_history", "get_run", "health", "list_machines", "list_runs", "simulate", "stats"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	for _, tool := range []string{"send_event", "start_run", "cancel_run", "Purchase_Approve"} {
		if _, err := b.session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool}); err == nil {
			t.Errorf("%s is there", tool)
		}
	}
}

// TestHints holds what clients are told of the tools before they ask their people.
func TestHints(t *testing.T) {
	b := newBench(t, func(o *mcp.Options) { o.Machine = "Purchase" })
	looks := []string{"check_machine", "explain_rule", "get_history", "get_run", "health", "list_machines", "list_runs", "simulate", "stats"}
	for tool, err := range b.session.Tools(t.Context(), nil) {
		must(t, err)
		a := tool.Annotations
		if a.ReadOnlyHint != slices.Contains(looks, tool.Name) || *a.DestructiveHint != (tool.Name == "cancel_run") || *a.OpenWorldHint {
			t.Errorf("%s: %+v", tool.Name, a)
		}
		if tool.Description == "" || tool.Title == "" || tool.OutputSchema == nil {
			t.Errorf("%s lacks something", tool.Name)
		}
	}
	if c := b.session.InitializeResult().Capabilities; c.Tools == nil || c.Tools.ListChanged || c.Resources == nil || c.Resources.ListChanged {
		t.Errorf("%+v", c)
	}
}

// forgetful is a store that, once it has lost, can write and not read any more what an answer has besides.
type forgetful struct {
	runtime.Store
	lost *bool
}

var errLost = errors.New("the disk is gone")

func (f forgetful) History(ctx context.Context, run string, after int64, limit int) ([]store.HistoryRow, error) {
	if *f.lost {
		return nil, errLost
	}
	return f.Store.History(ctx, run, after, limit)
}

// TestAnswerNeverFails holds that a tool with an effect answers though the store does not any more.
func TestAnswerNeverFails(t *testing.T) {
	lost := false
	b := benchOver(t, forgetful{memstore.New(), &lost})
	b.takes("start_run", started)
	lost = true
	s := b.takes("send_event", `{"run": "p1", "event": "Remark", "data": {"run": "x", "note": "y"}}`)
	if s.Seq != 2 || len(s.Next) != 3 || !strings.Contains(s.Note, "its history cannot be read: ") {
		t.Errorf("%+v", s)
	}
	b.refuses("get_history", `{"run": "p1"}`, "the disk is gone")
}

func TestHideData(t *testing.T) {
	b := newBench(t, func(o *mcp.Options) { o.HideData = true })
	var all strings.Builder
	for _, c := range [][2]string{
		{"start_run", `{"machine": "Purchase", "id": "p1", "params": {"item": "SECRET", "most": 100}}`},
		{"send_event", `{"run": "p1", "event": "Remark", "data": {"run": "SECRET", "note": "SECRET"}}`},
		{"send_event", `{"run": "p1", "event": "Approve", "data": {"price": 1, "way": "post", "by": "SECRET"}}`},
		{"complete_activity", `{"run": "p1", "activity": "order", "event": "Ordered", "data": {"note": "SECRET"}}`},
		{"get_run", `{"run": "p1"}`}, {"get_history", `{"run": "p1"}`}, {"list_runs", `{}`}, {"health", `{}`},
	} {
		all.Write(b.json(c[0], c[1]))
	}
	if strings.Contains(all.String(), "SECRET") {
		t.Error(all.String())
	}
	b.refuses("simulate", `{"run": "p1"}`, "--hide-data")
}

// TestOneCheckAtATime holds that a check waits for the one before, and is given up.
func TestOneCheckAtATime(t *testing.T) {
	entered, leave := make(chan bool), make(chan bool)
	b := newBench(t, func(o *mcp.Options) {
		o.Front.Check = func(ctx context.Context, source string) (any, error) {
			if source == "endless" {
				return nil, context.DeadlineExceeded
			}
			entered <- true
			<-leave
			return map[string]any{"diagnostics": []any{}, "machines": []any{}}, nil
		}
	})
	b.refuses("check_machine", `{"source": "endless"}`, "the check took longer than 10s, and was given up")
	ended := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := b.session.CallTool(t.Context(), &sdk.CallToolParams{Name: "check_machine", Arguments: map[string]any{"source": "x"}})
			ended <- err
		}()
	}
	for range 2 {
		<-entered
		select {
		case <-entered:
			t.Error("two checks at a time")
		default:
		}
		leave <- true
	}
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
