package runtime

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// logged is what LogObserver writes of what tell tells it, without the time.
func logged(t *testing.T, tell func(Observer)) string {
	t.Helper()
	var out bytes.Buffer
	tell(LogObserver(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))))
	return out.String()
}

func TestLogObserver(t *testing.T) {
	step := StepInfo{Run: "r", Machine: "M", Seq: 2, From: "A", To: "B", Input: "Go", Effect: machine.Moved, Held: time.Minute, Took: time.Millisecond}
	bounded, halted := step, step
	bounded.Passed = []machine.PassedView{{Arm: "A on Go", Why: "guard is false"}}
	bounded.Arm, bounded.Count, bounded.Actor, bounded.Reason = "A on Go", 3, "ada", "again"
	bounded.Event, bounded.Guards = "Go", []machine.VerdictView{{Guard: "small", Args: json.RawMessage(`{"n":7}`), Answer: true}}
	bounded.Costs = []machine.CostView{{Name: "tokens", Spent: "12"}, {Name: "usd", Spent: "0.5"}}
	halted.To, halted.Effect, halted.Reason = "A", machine.HaltedBy, "overflow"
	attempt := AttemptInfo{Run: "r", Machine: "M", Activity: "fetch", Key: "r/A.fetch/1", Attempt: 1, Worker: "w", End: AttemptResult, Event: "Found", Duration: time.Second}
	failed := attempt
	failed.End, failed.Event, failed.Category, failed.Message = AttemptFailed, "", "transient", "no luck"
	failed.Cost = map[string]json.Number{"tokens": "12"}
	for _, c := range []struct {
		name, want string
		tell       func(Observer)
	}{
		{"step", "level=INFO msg=step run=r machine=M seq=2 from=A to=B input=Go effect=moved held=1m0s took=1ms\n",
			func(o Observer) { o.OnStep(step) }},
		{"bounded", "level=INFO msg=step run=r machine=M seq=2 from=A to=B input=Go effect=moved held=1m0s took=1ms event=Go arm=\"A on Go\" count=3 passed=\"A on Go: guard is false\" guards=\"small{\\\"n\\\":7} is true\" cost.tokens=12 cost.usd=0.5 actor=ada reason=again\n",
			func(o Observer) { o.OnStep(bounded) }},
		{"halted", "level=WARN msg=step run=r machine=M seq=2 from=A to=A input=Go effect=halted held=1m0s took=1ms reason=overflow\n",
			func(o Observer) { o.OnStep(halted) }},
		{"result", "level=INFO msg=attempt run=r machine=M activity=fetch attempt=1 key=r/A.fetch/1 worker=w end=result took=1s event=Found\n",
			func(o Observer) { o.OnAttempt(attempt) }},
		{"failed", "level=WARN msg=attempt run=r machine=M activity=fetch attempt=1 key=r/A.fetch/1 worker=w end=failed took=1s category=transient error=\"no luck\" cost.tokens=12\n",
			func(o Observer) { o.OnAttempt(failed) }},
	} {
		if diff := cmp.Diff(c.want, logged(t, c.tell)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
