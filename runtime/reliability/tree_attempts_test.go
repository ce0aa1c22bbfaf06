//go:build unix && cgo

package reliability

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// whileUnderWay is what is held of an activity that begins.
var whileUnderWay = []struct {
	name  string
	holds func(*scene, *doing) error
}{
	{"an execution is under way one time at most", (*scene).once},
	{"nothing begins in a visit while something of another visit of the run, or of a run above it, is under way", (*scene).oneVisit},
	{"so many as its limit of an activity are under way", (*scene).atOnce},
	{"so many as its limit of an activity begin in a window", (*scene).inWindow},
	{"so many as the limit of their list of its elements are under way", (*scene).elements},
	{"an activity of a visit has one key until it has a result, which the machine may retry", (*scene).oneKey},
	{"the attempts of a key count up", (*scene).countsUp},
	{"no key of a pruned run is used again", (*scene).newKey},
}

// scene is what activities see of each other.
type scene struct {
	*grove
	mu      sync.Mutex
	active  map[*doing]bool
	begun   map[string][]time.Time // by activity
	keys    map[string]string      // by run, visit and do
	last    map[string]int         // attempt, by key
	said    map[string]bool        // keys with a result
	old     map[string]bool        // keys of pruned runs
	spent   int                    // cents
	used    map[string]int         // cents, by attempt
	writing map[string]int         // commits that are under way, by run
	faulty  sync.Mutex
	faults  []error
}

func newScene(g *grove) *scene {
	return &scene{grove: g, active: map[*doing]bool{}, begun: map[string][]time.Time{}, last: map[string]int{},
		said: map[string]bool{}, writing: map[string]int{}, old: map[string]bool{}}
}

// doing is an attempt that is under way.
type doing struct {
	attempt  *runtime.Attempt
	store    *mortal
	activity *machine.Activity
	do       *machine.Do
	element  string // of which list of which run it is one
	in       []visit
	since    time.Time
}

func (d *doing) String() string {
	return fmt.Sprintf("%s #%d of %q, since %s by %s", d.attempt.Key, d.attempt.Number, d.attempt.Run, d.since.Format("04:05.000000"), d.store.worker)
}

// visit is one of a run.
type visit struct {
	run string
	n   int64
}

var childID = regexp.MustCompile(`^(.*)/[^/]*\.(\d+)\.\d+(\[\d+\])?$`)

// visits are that of a run and, from below, those of the runs above it.
func visits(run string, n int64) []visit {
	all := []visit{{run, n}}
	for m := childID.FindStringSubmatch(run); m != nil; m = childID.FindStringSubmatch(run) {
		run = m[1]
		n, _ = strconv.ParseInt(m[2], 10, 64)
		all = append(all, visit{run, n})
	}
	return all
}

// fault notes what does not hold.
func (s *scene) fault(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	s.faulty.Lock()
	defer s.faulty.Unlock()
	if s.faults = append(s.faults, err); len(s.faults) <= 6 {
		s.t.Errorf("%s %s", time.Now().Format("04:05.000000"), err)
	}
}

// forget begins with another tree, after the last one has been pruned.
func (s *scene) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range s.keys {
		s.old[key] = true
	}
	s.keys, s.used, s.spent = map[string]string{}, map[string]int{}, 0
}

// enter holds what is about to begin against what is under way. It does not begin where its engine is dead.
func (s *scene) enter(w *worker, a *runtime.Attempt) *doing {
	if w.store.died() {
		return nil
	}
	m := s.models[a.Machine]
	name := doOf(a.Run, a.Key)
	list, _, _ := strings.Cut(name, "[")
	d := &doing{attempt: a, store: w.store, element: a.Run + " " + list, in: visits(a.Run, a.Visit), since: time.Now()}
	i, _ := m.Do(list)
	d.do = &m.Definition().Dos[i]
	d.activity = &m.Definition().Activities[d.do.Activity]
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range whileUnderWay {
		if err := h.holds(s, d); err != nil {
			s.fault("%s: %w", h.name, err)
		}
	}
	s.attempts++
	s.active[d] = true
	return d
}

func (s *scene) leave(d *doing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.active, d)
}

// drop ends what is under way in an engine that dies.
func (s *scene) drop(of *mortal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for d := range s.active {
		if d.store == of {
			delete(s.active, d)
		}
	}
}

// writes notes that a commit of a run begins or ends.
func (s *scene) writes(run string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writing[run] += n
}

func (s *scene) isWritten(run string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writing[run] > 0
}

// uses notes cents that an attempt has used.
func (s *scene) uses(d *doing, cents int) map[string]json.Number {
	if len(d.activity.Costs) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spent += cents
	s.used[attemptOf(d.attempt.Key, d.attempt.Number)] += cents
	return map[string]json.Number{"usd": json.Number(fmt.Sprintf("0.0%d", cents))}
}

// says notes that an attempt has a result.
func (s *scene) says(d *doing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said[d.attempt.Key] = true
}

// perform does whatever an activity can do: it is quick or late, fails, declines, and stops slowly or never where it
// is told to.
func (s *scene) perform(ctx context.Context, w *worker, a *runtime.Attempt) (runtime.Result, error) {
	d := s.enter(w, a)
	if d == nil {
		return runtime.Result{}, errFault
	}
	defer s.leave(d)
	r := s.chance(a.Key, a.Number, a.Fence)
	if r.IntN(3) == 0 {
		_ = a.Progress(map[string]int{"n": a.Number})
	}
	how, cents := r.IntN(10), 1+r.IntN(3)
	if s.lasts(ctx, r) && how > 2 {
		if len(d.activity.Costs) == 0 || w.store.died() {
			return runtime.Result{}, ctx.Err()
		}
		return runtime.Result{}, &runtime.Failure{Category: "transient", Message: "it was stopped", Cost: s.uses(d, cents)}
	}
	switch {
	case how == 0:
		return runtime.Result{}, &runtime.Failure{Category: "transient", Message: "it broke", Cost: s.uses(d, cents)}
	case how == 1:
		return runtime.Result{}, &runtime.Failure{Category: "hard", Message: "it broke", Cost: s.uses(d, cents)}
	case how == 2 && len(d.activity.Costs) == 0:
		return runtime.Result{}, runtime.Decline("not now")
	}
	result := runtime.Result{Cost: s.uses(d, cents)}
	if n := len(d.activity.Results); n > 0 {
		p := &player{m: s.models[a.Machine], random: r}
		event := &p.m.Definition().Events[d.activity.Results[r.IntN(n)]]
		result.Event, result.Data = event.Name, p.object(event.Fields)
		s.says(d)
	}
	return result, nil
}

// lasts takes its time, and reports whether it has been told to stop meanwhile, and has.
func (s *scene) lasts(ctx context.Context, r *rand.Rand) (stopped bool) {
	takes := time.Duration(r.IntN(6000)) * time.Millisecond
	switch r.IntN(8) {
	case 0:
		takes = 0
	case 1: // at the instant of something else
		takes = takes.Truncate(time.Second)
	case 2:
		takes *= 5
	}
	stops := time.Duration(r.IntN(2)*r.IntN(13000)) * time.Millisecond
	if deaf := r.IntN(6) == 0; deaf && takes < 13*time.Second {
		time.Sleep(takes)
		return false
	}
	select {
	case <-ctx.Done():
		time.Sleep(stops)
		return true
	case <-time.After(takes):
		return false
	}
}

// others counts what is under way and like what begins, with that.
func (s *scene) others(like func(o *doing) bool) (n int64) {
	for o := range s.active {
		if like(o) {
			n++
		}
	}
	return n + 1
}

func (s *scene) once(d *doing) error {
	for o := range s.active {
		if o.attempt.Key == d.attempt.Key {
			return fmt.Errorf("%s, and %s", d, o)
		}
	}
	return nil
}

func (s *scene) oneVisit(d *doing) error {
	for o := range s.active {
		for _, x := range o.in {
			for _, y := range d.in {
				if x.run == y.run && x.n != y.n {
					return fmt.Errorf("visits %d and %d of run %q: %s, and %s", x.n, y.n, x.run, o, d)
				}
			}
		}
	}
	return nil
}

func (s *scene) atOnce(d *doing) error {
	limit := d.activity.Limit
	if limit == nil || limit.AtOnce == 0 {
		return nil
	}
	if n := s.others(func(o *doing) bool { return o.activity == d.activity }); n > limit.AtOnce {
		return fmt.Errorf("%d of %s", n, d)
	}
	return nil
}

// inWindow lets an activity begin a little after its task was claimed.
func (s *scene) inWindow(d *doing) error {
	limit := d.activity.Limit
	if limit == nil || limit.Rate == 0 {
		return nil
	}
	name := d.attempt.Machine + "." + d.activity.Name
	all := append(s.begun[name], d.since)
	s.begun[name] = all
	before := len(all) - 1 - int(limit.Rate)
	if before < 0 {
		return nil
	}
	if took := d.since.Sub(all[before]); took < time.Duration(limit.Window)-2*s.slow-time.Microsecond {
		return fmt.Errorf("%d in %s, the last is %s", limit.Rate+1, took, d)
	}
	return nil
}

func (s *scene) elements(d *doing) error {
	if d.do.Fan == nil || d.do.Fan.Limit == 0 {
		return nil
	}
	if n := s.others(func(o *doing) bool { return o.element == d.element }); n > d.do.Fan.Limit {
		return fmt.Errorf("%d with %s", n, d)
	}
	return nil
}

func (s *scene) oneKey(d *doing) error {
	what := fmt.Sprint(d.attempt.Run, " ", d.attempt.Visit, " ", doOf(d.attempt.Run, d.attempt.Key))
	key, known := s.keys[what]
	if s.keys[what] = d.attempt.Key; known && key != d.attempt.Key && !s.said[key] {
		return fmt.Errorf("%s had the key %s", d, key)
	}
	return nil
}

func (s *scene) countsUp(d *doing) error {
	last := s.last[d.attempt.Key]
	if s.last[d.attempt.Key] = d.attempt.Number; last > d.attempt.Number {
		return fmt.Errorf("%d is before %s", last, d)
	}
	return nil
}

func (s *scene) newKey(d *doing) error {
	if s.old[d.attempt.Key] {
		return errors.New(d.String())
	}
	return nil
}

// stoppedBy looks that nothing is under way that a run, as it is by now, has left behind, and that had begun then.
func (s *scene) stoppedBy(v *runtime.View, then time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for d := range s.active {
		for _, in := range d.in {
			if in.run == v.Run && (v.Status == runtime.Finished || in.n < v.Visit) && d.since.Before(then) {
				s.fault("run %q is cancelled, and this is under way: %s", v.Run, d)
			}
		}
	}
}
