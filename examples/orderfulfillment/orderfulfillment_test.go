package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/examples/internal/transcript"
	"github.com/fsmc-dev/fsmc/examples/orderfulfillment/outside"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

func TestMain(m *testing.M) { transcript.Main(m, main) }

// TestStory runs the whole example: real worker processes, killed with SIGKILL,
// and services that fail after the work. Then it looks at what is left.
func TestStory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := transcript.Run(t, "-orders", "24", "-dir", dir)
	t.Log(out)
	for _, want := range []string{
		`"next_allowed_actions":\[.*\],"summary":"Refused, and nothing has changed: the run has taken \d+ steps, not \d+."`, // whoever else has sent meanwhile, and however often it was tried before
		`"next_allowed_actions":\[.*"CancelOrder"\],"summary":"Refused, and nothing has changed: nothing takes it there."`,
		`stuck +order-0009 +NeedsAttention`,
		`stuck +order-0008 +Unpaid.AwaitingManagerApproval`,
		`[1-9]\d* workers were killed`,
		`[1-9]\d* came second`,
		`[1-9]\d* after it, [1-9]\d* were repeats`,
		`ok +[1-9]\d* orders undone by warehouse, books and carrier`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("the output has nothing like %q", want)
		}
	}
	ended(t, dir)

	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	shown(t, string(page), out)
}

// ended looks at the orders whose fate does not depend on the seed.
func ended(t *testing.T, dir string) {
	t.Helper()
	ctx := context.Background()
	store, err := sqlite.Open(ctx, database(dir), sqlite.ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	engine := runtime.NewEngine(store)
	health, err := engine.Health(ctx, runtime.HealthQuery{StuckIn: tooLong})
	if err != nil || !slices.ContainsFunc(health.Problems, func(p runtime.Problem) bool { return p.Run == "order-0003" && p.Kind == runtime.StuckRun }) {
		t.Errorf("the refund that no one repairs does not show: %v, %+v", err, health)
	}
	runs := OrderFulfillmentRuns{Engine: engine}
	for id, want := range map[string]OrderFulfillmentState{
		"order-0001": OrderFulfillmentStateClosed,         // nothing special
		"order-0002": OrderFulfillmentStateCancelled,      // authorized, and never charged
		"order-0003": OrderFulfillmentStateNeedsAttention, // the refund fails
		"order-0004": OrderFulfillmentStateCancelled,      // never authorized
		"order-0005": OrderFulfillmentStateClosed,         // approved
		"order-0006": OrderFulfillmentStateCancelled,      // denied
		"order-0007": OrderFulfillmentStateClosed,         // approved when reminded
		"order-0008": OrderFulfillmentStateCancelled,      // never approved
		"order-0009": OrderFulfillmentStateClosed,         // jammed, and resumed
		"order-0010": OrderFulfillmentStateClosed,         // no van, undone, and resumed
	} {
		run, err := runs.Get(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if run.State != want {
			t.Errorf("%s ended in %s, not %s", id, run.State, want)
		}
		if approved := run.Data.Approver == "grace"; approved != (id == "order-0005" || id == "order-0006" || id == "order-0007") {
			t.Errorf("%s: the approver is %q", id, run.Data.Approver)
		}
	}
}

// changing is what differs from one run of the program to the next: figures, who
// was first, and whether the payment was authorized before the other one asked.
var changing = regexp.MustCompile(`\d+|\b(ada|bob)\b|"current_state":"[^"]*","next_allowed_actions":\[[^]]*\]`)

// shown holds the output that the README shows against what the program says,
// but for numbers, and for lines that list orders and states.
func shown(t *testing.T, page, out string) {
	t.Helper()
	_, block, _ := strings.Cut(page, "```console\n")
	block, _, _ = strings.Cut(block, "```\n")
	said := changing.ReplaceAllString(out, "#")
	lines := 0
	for line := range strings.Lines(block) {
		line = changing.ReplaceAllString(line, "#")
		if !strings.HasPrefix(line, "  # ") && !strings.HasPrefix(line, "  stuck ") && !strings.HasPrefix(line, "  and #") || strings.Contains(line, " were ") {
			lines++
			if !strings.HasPrefix(line, "  $ ") && !strings.Contains(said, line) {
				t.Errorf("README.md shows %q, which the program does not say", line)
			}
		}
	}
	if lines < 20 {
		t.Errorf("%d lines of the README's output: the test sees nothing", lines)
	}
}

// TestAnswer: an agent is told where an order stands, what may be done, and the
// rest in a line.
func TestAnswer(t *testing.T) {
	run := OrderFulfillmentRun{
		View:   runtime.View{State: "Paid.PaymentCaptured", Events: []machine.EventView{{Name: "TriggerFulfillment"}, {Name: "RefundOrder"}}},
		State:  OrderFulfillmentStatePaidPaymentCaptured,
		Params: OrderFulfillmentParams{Amount: 14_999},
	}
	run.Data.Charge.Value = "ch_1"
	want := `{"current_state":"Paid.PaymentCaptured","next_allowed_actions":["TriggerFulfillment","RefundOrder"],` +
		`"summary":"Payment of $149.99 captured (ch_1). Ready to trigger fulfillment."}`
	if got := answerTo(run).String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	run = OrderFulfillmentRun{View: runtime.View{State: "Closed"}, State: OrderFulfillmentStateClosed}
	if got := answerTo(run).String(); got != `{"current_state":"Closed","next_allowed_actions":[],"summary":"Over."}` {
		t.Error(got)
	}
}

// TestForgetfulProvider: without idempotency keys the same story ends badly,
// and the account says so.
func TestForgetfulProvider(t *testing.T) {
	t.Parallel()
	out, err := transcript.Command(t, "-orders", "12", "-forgetful", "-dir", t.TempDir()).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !regexp.MustCompile(`FAIL  \d+ orders charged, [1-9]\d* of them more than once`).Match(out) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestRefusesAnOldFolder keeps earlier orders from being mixed up with new ones.
func TestRefusesAnOldFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(database(dir), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := story{orders: 1, dir: dir}
	if err := s.run(context.Background()); err == nil || !strings.Contains(err.Error(), "holds earlier orders") {
		t.Error(err)
	}
}

// TestAudit: each way in which an order can go wrong is found, and an order that
// goes well is not.
func TestAudit(t *testing.T) {
	told := slices.Clip([]outside.Kind{outside.Packed, outside.Invoiced, outside.Booked})
	for _, test := range []struct {
		name  string
		state OrderFulfillmentState
		book  []outside.Kind
		fails string
	}{
		{"well", OrderFulfillmentStateClosed, []outside.Kind{outside.Reserved, outside.Authorized, outside.Charged, outside.Packed, outside.Invoiced, outside.Booked, outside.Mailed, outside.Shipped}, ""},
		{"sent back", OrderFulfillmentStateReturned, []outside.Kind{outside.Reserved, outside.Authorized, outside.Charged, outside.Packed, outside.Invoiced, outside.Booked, outside.Shipped, outside.Credited, outside.Refunded}, ""},
		{"undone and done again", OrderFulfillmentStateClosed, slices.Concat([]outside.Kind{outside.Charged, outside.Packed, outside.Invoiced, outside.Credited, outside.Unpacked}, told, []outside.Kind{outside.Shipped}), ""},
		{"cancelled early", OrderFulfillmentStateCancelled, []outside.Kind{outside.Reserved, outside.Authorized, outside.Voided, outside.Released}, ""},
		{"charged twice", OrderFulfillmentStateClosed, append(told, outside.Charged, outside.Charged, outside.Shipped, outside.Refunded), "1 of them more than once"},
		{"shipped unpaid", OrderFulfillmentStateClosed, append(told, outside.Shipped, outside.Charged), "1 of them before they were paid"},
		{"not refunded", OrderFulfillmentStateReturned, []outside.Kind{outside.Charged}, "1 of them with money or goods"},
		{"not voided", OrderFulfillmentStateCancelled, []outside.Kind{outside.Authorized}, "1 of them with money or goods"},
		{"not released", OrderFulfillmentStateCancelled, []outside.Kind{outside.Reserved}, "1 of them with money or goods"},
		{"closed unshipped", OrderFulfillmentStateClosed, append(told, outside.Charged), "1 of them not paid and shipped"},
		{"closed unknown to the carrier", OrderFulfillmentStateClosed, []outside.Kind{outside.Charged, outside.Packed, outside.Invoiced, outside.Shipped}, "1 of them known to some"},
		{"packed twice", OrderFulfillmentStateClosed, append(told, outside.Packed, outside.Charged, outside.Shipped), "1 of them known to some"},
		{"sent back, and still in the books", OrderFulfillmentStateReturned, []outside.Kind{outside.Charged, outside.Invoiced, outside.Refunded}, "1 of them known to some"},
		{"packed and cancelled", OrderFulfillmentStateCancelled, []outside.Kind{outside.Packed}, "1 of them known to some"},
		{"undone in the order of doing", OrderFulfillmentStateNeedsAttention, []outside.Kind{outside.Packed, outside.Invoiced, outside.Unpacked, outside.Credited}, "1 of them not in the reverse"},
		{"undone, and never done", OrderFulfillmentStateNeedsAttention, []outside.Kind{outside.Credited}, "1 of them not in the reverse"},
		{"mailed twice", OrderFulfillmentStateClosed, append(told, outside.Charged, outside.Shipped, outside.Mailed, outside.Mailed), "1 confirmations"},
		{"left lying", OrderFulfillmentStateUnpaidCreated, nil, "1 orders left"},
	} {
		var entries []outside.Entry
		for i, k := range test.book {
			entries = append(entries, outside.Entry{Seq: i + 1, Kind: k, Order: "o"})
		}
		found := ""
		for _, p := range audit([]runtime.RunRow{{Run: "o", State: string(test.state)}}, entries) {
			if !p.Kept {
				found += p.Text + "\n"
			}
		}
		if (found == "") != (test.fails == "") || !strings.Contains(found, test.fails) {
			t.Errorf("%s: the audit finds %q", test.name, found)
		}
	}
}
