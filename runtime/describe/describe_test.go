package describe

import (
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2025, 3, 1, 12, 0, 0, 0, time.Local)

func at(d time.Duration) *time.Time {
	t := noon.Add(d)
	return &t
}

func TestSentence(t *testing.T) {
	base := runtime.View{
		Run: "r1", State: "Posting", Status: runtime.Running,
		Entered: noon.Add(-90 * time.Second), Updated: noon.Add(-time.Minute),
		Timers: []machine.TimerView{{Name: "after 24h", Due: noon.Add(20 * time.Hour), Ends: true}, {Name: "Posting after 1h", Due: noon.Add(time.Hour), Ends: true}},
	}
	post := machine.ActivityView{Activity: "post", Attempt: 2, Of: 6}
	failed := &machine.ErrorView{Category: "transient", Message: "Traceback\n  line 1\n\x1b[31m503\n"}
	for _, c := range []struct {
		name   string
		change func(*runtime.View)
		want   string
	}{
		{"an activity at a worker, the earliest timer", func(v *runtime.View) {
			a := post
			a.Worker, a.Since, a.Lease, a.LastError = "host/7", at(-5*time.Second), at(25*time.Second), failed
			v.Activities = []machine.ActivityView{a}
		}, "r1 is in Posting since 11:58:30 (1m30s ago), post running since 11:59:55 (attempt 2 of 6, at host/7), " +
			"last error transient: \uFFFD[31m503, until 13:00:00 at the latest (Posting after 1h)"},
		{"a worker that is gone", func(v *runtime.View) {
			a := post
			a.Worker, a.Since, a.Lease = "host/7", at(-50*time.Second), at(-20*time.Second)
			v.Activities, v.Timers = []machine.ActivityView{a}, nil
		}, "r1 is in Posting since 11:58:30 (1m30s ago), post taken at 11:59:10 (attempt 2 of 6) by host/7, whose lease ran out at 11:59:40 (20s ago)"},
		{"a retry that waits, and an activity without a worker", func(v *runtime.View) {
			a, b := post, post
			a.Until, b.Activity, b.Of = at(30*time.Second), "log", 0
			v.Activities, v.Timers = []machine.ActivityView{a, b}, nil
		}, "r1 is in Posting since 11:58:30 (1m30s ago), post to be tried again at 12:00:30 (attempt 2 of 6); " +
			"and log waiting for a worker (attempt 2)"},
		{"a failure that said nothing", func(v *runtime.View) {
			a := post
			a.LastError = &machine.ErrorView{Category: "transient"}
			v.Activities, v.Timers = []machine.ActivityView{a}, nil
		}, "r1 is in Posting since 11:58:30 (1m30s ago), post waiting for a worker (attempt 2 of 6), last error transient"},
		{"activities that their limits hold back", func(v *runtime.View) {
			a, b := post, post
			a.Limit, b.Limit = &machine.LimitView{Text: "5 per 1m", Opens: at(30 * time.Second)}, &machine.LimitView{Text: "10 at once"}
			v.Activities, v.Timers = []machine.ActivityView{a, b}, nil
		}, "r1 is in Posting since 11:58:30 (1m30s ago), post held back by its limit of 5 per 1m until 12:00:30 (attempt 2 of 6); " +
			"and post held back by its limit of 10 at once (attempt 2 of 6)"},
		{"events", func(v *runtime.View) {
			v.Events = []machine.EventView{{Name: "Go"}, {Name: "Stop"}}
			v.Timers = v.Timers[:1]
		}, "r1 is in Posting since 11:58:30 (1m30s ago), waiting for Go or Stop, until 2025-03-02 08:00 at the latest (after 24h)"},
		{"a timer alone", func(*runtime.View) {},
			"r1 is in Posting since 11:58:30 (1m30s ago), waiting, until 13:00:00 at the latest (Posting after 1h)"},
		{"a timer that stays", func(v *runtime.View) {
			v.Timers = []machine.TimerView{v.Timers[0], {Name: "Posting after 10m", Text: "Posting after 600s", Due: noon.Add(time.Minute)}}
			v.Deferred = []string{"Tick", "Stop", "Tick"}
		}, "r1 is in Posting since 11:58:30 (1m30s ago), waiting, with Tick 2 times, Stop deferred" +
			", with Posting after 600s due at 12:01:00, until 2025-03-02 08:00 at the latest (after 24h)"},
		{"a timer that starts again", func(v *runtime.View) {
			v.Timers = []machine.TimerView{v.Timers[0], {Name: "Posting after 1m idle", Due: noon.Add(time.Minute), Idle: true, Ends: true}}
		}, "r1 is in Posting since 11:58:30 (1m30s ago), waiting, with Posting after 1m idle due at 12:01:00" +
			", until 2025-03-02 08:00 at the latest (after 24h)"},
		{"nothing ends the wait", func(v *runtime.View) {
			v.Timers = []machine.TimerView{{Name: "Posting after 10m", Due: noon.Add(time.Minute)}}
		},
			"r1 is in Posting since 11:58:30 (1m30s ago), waiting, with Posting after 10m due at 12:01:00"},
		{"halted", func(v *runtime.View) {
			v.Status, v.Halt = runtime.Halted, &machine.HaltView{Reason: "an integer overflows", Input: "Paid"}
		}, "r1 is in Posting since 11:58:30 (1m30s ago), halted: Paid could not be taken: an integer overflows"},
		{"paused, with an attempt under way", func(v *runtime.View) {
			a, waiting := post, post
			a.Worker, a.Since, a.Lease = "host/7", at(-5*time.Second), at(25*time.Second)
			v.Paused, v.Queued, v.Activities = true, []string{"Go"}, []machine.ActivityView{a, waiting}
		}, "r1 is in Posting since 11:58:30 (1m30s ago), paused, post running since 11:59:55 (attempt 2 of 6, at host/7)" +
			", with Go waiting until it resumes"},
		{"paused", func(v *runtime.View) { v.Paused = true },
			"r1 is in Posting since 11:58:30 (1m30s ago), paused"},
		{"ended", func(v *runtime.View) { v.Status, v.Outcome = runtime.Finished, runtime.Success },
			"r1 ended in Posting with success at 11:59:00 (1m ago)"},
		{"dropped", func(v *runtime.View) { v.Status, v.Outcome = runtime.Finished, runtime.Cancelled },
			"r1 ended in Posting as cancelled at 11:59:00 (1m ago)"},
		{"cancelled", func(v *runtime.View) { v.Status, v.Outcome, v.Cancelled = runtime.Finished, runtime.Cancelled, true },
			"r1 was cancelled and ended in Posting at 11:59:00 (1m ago)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := base
			c.change(&v)
			if diff := cmp.Diff(c.want, Sentence(&v, noon)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 900 * time.Microsecond: "900us", 1234567 * time.Nanosecond: "1ms", 12345 * time.Millisecond: "12.3s",
		time.Minute: "1m", 61 * time.Second: "1m1s", time.Hour: "1h", 90*time.Minute + time.Second: "1h30m",
	} {
		if got := Short(d); got != want {
			t.Errorf("Short(%v) = %q, want %q", d, got, want)
		}
	}
}
