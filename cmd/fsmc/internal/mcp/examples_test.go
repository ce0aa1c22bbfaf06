package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/mcp"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// An agent plays each of the five examples to its end, by calls alone: events by the tools of the
// machine, the ends of activities by hand. Only time passes by itself.

// play is a line of what an agent does, and the state in which the run then is.
type play struct {
	does  string // "send Approve", "end order Ordered", "wait 2s"
	data  string // an object
	state string
}

var plays = map[string]struct {
	params string
	plays  []play
}{
	"CodeReview": {`{"pr": "17"}`, []play{
		{"send StartReview", `{}`, "FetchingDiff"},
		{"end fetch_diff DiffLoaded", `{"patches": ["+a", "-b"]}`, "Analyzing"},
		{"end file[0] Reviewed", `{"comments": 2}`, "Analyzing"},
		{"end file[1] Reviewed", `{"comments": 1}`, "PostingComments"},
		{"end post_comments RateLimited", `{"retry_after": "8m"}`, "AwaitingRetry"},
		{"wait 8m", "", "PostingComments"},
		{"end post_comments CommentsPosted", `{}`, "Summarizing"},
		{"end summarize SummaryDone", `{}`, "Completed"},
	}},
	"DocumentAgent": {`{"session": "s"}`, []play{
		{"send DocumentRequested", `{"request": "a plan"}`, "GatheringRequirements"},
		{"end gather_requirements RequirementsGathered", `{"requirements": {"pages": 2}}`, "GeneratingOutline"},
		{"end generate_outline OutlineUnclear", `{"question": "for whom?"}`, "AwaitingFeedback"},
		{"send FeedbackGiven", `{"text": "for the board"}`, "GeneratingOutline"},
		{"end generate_outline OutlineReady", `{"outline": "1. Why"}`, "WritingSections"},
		{"end write_sections SectionsWritten", `{"sections": {"Why": "Because."}}`, "Reviewing"},
		{"end review ReviewQuestions", `{"question": "is it short enough?"}`, "AwaitingFeedback"},
		{"send Approved", `{}`, "Finalizing"},
		{"end finalize DocumentFinished", `{"document": "Because."}`, "Complete"},
	}},
	"OrderFulfillment": {`{"order": "o1", "amount": 60000, "customer": "ada"}`, []play{
		{"send ReserveInventory", `{}`, "Unpaid.Reserving"},
		{"end reserve_inventory Reserved", `{"reservation": "r"}`, "Unpaid.InventoryReserved"},
		{"send AuthorizePayment", `{"payment_method": "card"}`, "Unpaid.AuthorizingPayment"},
		{"end authorize_payment Authorized", `{"authorization": "a"}`, "Unpaid.PaymentAuthorized"},
		{"send CapturePayment", `{}`, "Unpaid.AwaitingManagerApproval"},
		{"send ApprovePayment", `{"approver": "eve"}`, "CapturingPayment"},
		{"end capture_payment Captured", `{"charge": "c"}`, "Paid.PaymentCaptured"},
		{"send TriggerFulfillment", `{}`, "Paid.Fulfilling"},
		{"end confirm EmailSent", `{}`, "Paid.Fulfilling"},
		{"end parts Told", `{"shipment": "s"}`, "Paid.FulfillmentTriggered"},
		{"send MarkShipped", `{"tracking": "t"}`, "Paid.Shipped"},
		{"send MarkDelivered", `{}`, "Paid.Delivered"},
		{"wait 720h", "", "Closed"},
	}},
	"ResearchPipeline": {`{"topic": "ants", "perspectives": ["food", "war"], "pause_after": true}`, []play{
		{"end r[1] ReportWritten", `{"path": "war.md"}`, "Collecting"},
		{"end r[0] ReportWritten", `{"path": "food.md"}`, "Summarizing"},
		{"end summarize Summarized", `{"summary": "they eat and fight"}`, "AwaitingReview"},
		{"send Continue", `{"guidance": "more war"}`, "Synthesizing"},
		{"end synthesize ResultWritten", `{"path": "final.md"}`, "Delivering"},
		{"end deliver", "", "Archiving"},
		{"end archive", "", "Completed"},
	}},
	"TaskLifecycle": {`{"task": "t1"}`, []play{
		{"wait 2s", "", "Offered"},
		{"end send_offers", "", "Offered"},
		{"send Accepted", `{"agent": "a", "offer": 1}`, "Pending"},
		{"send Started", `{"agent": "a", "offer": 1}`, "InProgress"},
		{"send Hold", `{}`, "Paused.Held"},
		{"send Resume", `{}`, "Unassigned"},
		{"wait 2s", "", "Offered"},
		{"send Accepted", `{"agent": "b", "offer": 2}`, "Pending"},
		{"send Started", `{"agent": "b", "offer": 2}`, "InProgress"},
		{"end work WorkDone", `{"result": "done"}`, "Completed"},
	}},
}

func TestExamplesAreFinishedByCalls(t *testing.T) {
	for name, of := range plays {
		t.Run(name, func(t *testing.T) {
			clock := runtime.NewManualClock(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
			b := exampleBench(t, name, clock)
			s := b.takes("start_run", fmt.Sprintf(`{"machine": %q, "id": "r", "params": %s}`, name, of.params))
			for _, p := range of.plays {
				s = b.play(name, clock, s, p)
				if s.State != p.state {
					t.Fatalf("%s: the run is in %s, want %s: %s", p.does, s.State, p.state, s.Summary)
				}
			}
			if s.Status != "finished" || s.Outcome != "success" {
				t.Errorf("%+v", s)
			}
			for _, e := range s.Recent {
				if (e.Input == "done" || e.Input == "stopped" || strings.HasPrefix(e.Input, "after ")) != (e.Actor == "") {
					t.Errorf("%s is by %q", e.Input, e.Actor)
				}
			}
		})
	}
}

// exampleBench serves the machine of an example.
func exampleBench(t *testing.T, name string, clock *runtime.ManualClock) *bench {
	t.Helper()
	file := filepath.Join("..", "..", "..", "..", "examples", strings.ToLower(name), strings.ToLower(name)+".fsm")
	text, err := os.ReadFile(file)
	must(t, err)
	unit := lang.Load([]lang.Source{{Name: file, Src: text}})
	engine := runtime.NewEngine(memstore.New(), runtime.WithClock(clock))
	for _, m := range unit.Program.Machines {
		if m.Name != name {
			continue
		}
		for _, c := range table.Tree(m) {
			compiled, err := machine.Compile(c.Definition)
			must(t, err)
			must(t, engine.Register(compiled, string(text), runtime.Handlers{}))
		}
	}
	return clientOf(t, mcp.Options{Engine: engine, Machine: name, Version: "test"})
}

// play does a line.
func (b *bench) play(name string, clock *runtime.ManualClock, s said, p play) said {
	b.t.Helper()
	words := strings.Fields(p.does)
	switch words[0] {
	case "send":
		args := map[string]any{}
		must(b.t, json.Unmarshal([]byte(p.data), &args))
		args["run"] = "r"
		return b.takes(name+"_"+words[1], string(marshalled(b.t, args)))
	case "end":
		args := map[string]any{"run": "r", "activity": b.named(s, words[1])}
		if len(words) > 2 {
			args["event"], args["data"] = words[2], json.RawMessage(p.data)
		}
		return b.takes("complete_activity", string(marshalled(b.t, args)))
	}
	d, err := time.ParseDuration(words[1])
	must(b.t, err)
	clock.Advance(d)
	return b.fired(p.state)
}

// fired lets a worker fire the timers that are due, until the run is in a state, with nothing left to stop.
func (b *bench) fired(state string) said {
	b.t.Helper()
	ctx, stop := context.WithCancel(b.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.engine.Run(ctx) }()
	defer func() { stop(); <-ended }()
	for {
		if s := b.takes("get_run", `{"run": "r"}`); s.State == state && s.Status != "ending" {
			return s
		}
		select {
		case err := <-ended:
			ended <- err
			b.t.Fatalf("the worker has ended: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// named is an open activity by its name, or by the end of it.
func (b *bench) named(s said, name string) string {
	b.t.Helper()
	for _, a := range s.Open {
		if a.Activity == name || strings.HasSuffix(a.Activity, "."+name) {
			return a.Activity
		}
	}
	b.t.Fatalf("%s is not open: %+v", name, s.Open)
	return ""
}

func marshalled(t *testing.T, v any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(v)
	must(t, err)
	return text
}
