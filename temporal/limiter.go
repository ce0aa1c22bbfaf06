package temporal

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// A limit of an activity for all runs together is kept by one workflow, which hands out places. What is here
// asks Temporal for nothing: it says who gets one.

// Limiter is how such a limit stands.
type Limiter struct {
	Definitions []string      `json:"definitions,omitempty"` // hashes of those that have asked, the newest last
	Limit       machine.Limit `json:"limit"`                 // of the newest
	Places      []*Place      `json:"places,omitempty"`      // of who waits, the oldest first, and of who has one
	Begun       []Begun       `json:"begun,omitempty"`       // attempts within the window, the oldest first
}

// Place is one of those that the limit allows, or who waits for it.
type Place struct {
	Run     string    `json:"run"`
	ID      string    `json:"id"`
	Since   time.Time `json:"since"`            // when the attempt began to wait
	Granted time.Time `json:"granted,omitzero"` // zero while it waits
	Checked time.Time `json:"checked,omitzero"` // when the run was last known to have it
	Began   bool      `json:"began,omitempty"`  // it is among Begun
	Untold  bool      `json:"untold,omitempty"` // the run that has it asks for it, and is told again
}

func (p *Place) waits() bool { return p.Granted.IsZero() }

// Begun are attempts that count from one time on: the last of them has begun then at the latest.
type Begun struct {
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	N     int64     `json:"n"`
}

// request is what the limiter is told.
type request struct {
	Kind  string        `json:"kind"`
	Run   string        `json:"run"`
	Place string        `json:"place"`
	Since time.Time     `json:"since,omitzero"`
	Hash  string        `json:"hash,omitempty"` // of the definition of the run
	Limit machine.Limit `json:"limit,omitzero"` // by that
	Used  bool          `json:"used,omitempty"` // the attempt may have begun
}

const (
	asksPlace  = "ask"   // a run waits for a place; it asks again from time to time
	beganPlace = "began" // a worker has begun the attempt
	leftPlace  = "left"  // the run needs the place no more
)

const (
	maxDefinitionsKnown = 1000
	maxPlaces           = 1 << 20 // bytes of those that an execution starts with
	aroundPlace         = 200     // of one, in JSON, without the names
	begunParts          = 1000    // of a window: what begins in one of them counts from its end on
)

// take notes what the limiter is told.
func (l *Limiter) take(q *request, now time.Time) {
	l.turnBack(now)
	p := l.find(q.Run, q.Place)
	switch {
	case q.Kind == asksPlace:
		l.heed(q)
		if p == nil {
			l.wait(&Place{Run: q.Run, ID: q.Place, Since: q.Since})
		} else {
			p.Untold = !p.waits()
		}
	case p == nil:
	case q.Kind == beganPlace:
		l.begin(p, now)
		if l.Limit.AtOnce == 0 {
			l.drop(p)
		}
	case q.Kind == leftPlace:
		if q.Used {
			l.begin(p, now)
		}
		l.drop(p)
	}
}

// heed makes the limit of a definition that was not known the one that holds.
func (l *Limiter) heed(q *request) {
	if slices.Contains(l.Definitions, q.Hash) {
		return
	}
	l.Definitions = append(l.Definitions, q.Hash)
	l.Definitions = l.Definitions[max(0, len(l.Definitions)-maxDefinitionsKnown):]
	if l.Limit = q.Limit; l.Limit.Rate == 0 {
		l.Begun = nil
	}
}

func (l *Limiter) find(run, id string) *Place {
	for _, p := range l.Places {
		if p.ID == id && p.Run == run {
			return p
		}
	}
	return nil
}

func (l *Limiter) drop(p *Place) {
	l.Places = slices.DeleteFunc(l.Places, func(other *Place) bool { return other == p })
}

// wait puts a place where its turn is: the oldest comes first. Where there are more than an execution can start
// with, the youngest is left out, who asks again.
func (l *Limiter) wait(p *Place) {
	at, _ := slices.BinarySearchFunc(l.Places, p, func(other, p *Place) int {
		return cmp.Or(other.Since.Compare(p.Since), -1) // of the same time whoever came first
	})
	l.Places = slices.Insert(l.Places, at, p)
	size := 0
	for _, p := range l.Places {
		size += aroundPlace + len(p.Run) + len(p.ID)
	}
	for i := len(l.Places) - 1; i >= 0 && size > maxPlaces; i-- {
		if p := l.Places[i]; p.waits() {
			size -= aroundPlace + len(p.Run) + len(p.ID)
			l.Places = slices.Delete(l.Places, i, i+1)
		}
	}
}

// begin counts an attempt. That it has begun is known now; when it did is not, and so it counts from now on.
func (l *Limiter) begin(p *Place, now time.Time) {
	if p.Began || p.waits() {
		return
	}
	p.Began = true
	if l.Limit.Rate == 0 {
		return
	}
	if n := len(l.Begun); n > 0 && now.Sub(l.Begun[n-1].First) < l.window()/begunParts {
		l.Begun[n-1].Last = now
		l.Begun[n-1].N++
		return
	}
	l.Begun = append(l.Begun, Begun{First: now, Last: now, N: 1})
}

func (l *Limiter) window() time.Duration { return time.Duration(l.Limit.Window) }

// turnBack makes of times that are ahead of now, since the clock of the server has gone back, what they can
// have been at most.
func (l *Limiter) turnBack(now time.Time) {
	for i := range l.Begun {
		if b := &l.Begun[i]; b.Last.After(now) {
			if b.Last = now; b.First.After(now) {
				b.First = now
			}
		}
	}
}

// standing is how many have a place, how many of them have yet to begin, and how many have begun within the window.
func (l *Limiter) standing() (held, pending, begun int64) {
	for _, p := range l.Places {
		switch {
		case p.waits():
			continue
		case !p.Began:
			pending++
		}
		held++
	}
	for i := range l.Begun {
		begun += l.Begun[i].N
	}
	return held, pending, begun
}

// full reports whether as many have a place as may at once.
func (l *Limiter) full(held int64) bool { return l.Limit.AtOnce > 0 && held >= l.Limit.AtOnce }

// closed reports whether the rate lets none begin, and from when on it does, where that is known. One that has a
// place, and of which it is not known when it begins, counts as one that begins now.
func (l *Limiter) closed(pending, begun int64) (closed bool, opens time.Time) {
	leave := pending + begun + 1 - l.Limit.Rate // so many
	if l.Limit.Rate == 0 || leave <= 0 {
		return false, opens
	}
	for i := range l.Begun {
		if leave -= l.Begun[i].N; leave <= 0 {
			return true, l.Begun[i].Last.Add(l.window())
		}
	}
	return true, opens
}

// grant gives places to those whose turn it is, most of them at most.
func (l *Limiter) grant(now time.Time, most int) (granted []*Place) {
	l.turnBack(now)
	l.Begun = slices.DeleteFunc(l.Begun, func(b Begun) bool { return !now.Before(b.Last.Add(l.window())) })
	held, pending, begun := l.standing()
	for _, p := range l.Places {
		if len(granted) >= most {
			break
		}
		if p.Untold {
			p.Untold, granted = false, append(granted, p)
		}
		if closed, _ := l.closed(pending, begun); !p.waits() || closed || l.full(held) {
			continue
		}
		p.Granted, p.Checked = now, now
		granted = append(granted, p)
		held++
		pending++
	}
	return granted
}

// waiting reports whether someone waits.
func (l *Limiter) waiting() bool { return slices.ContainsFunc(l.Places, (*Place).waits) }

// holds says what holds back those that wait, as View does; nil for nothing.
func (l *Limiter) holds() *machine.LimitView {
	held, pending, begun := l.standing()
	if l.full(held) {
		return &machine.LimitView{Text: atOnceText(&l.Limit)}
	}
	closed, opens := l.closed(pending, begun)
	if !closed {
		return nil
	}
	v := &machine.LimitView{Text: rateText(&l.Limit)}
	if !opens.IsZero() {
		v.Opens = &opens
	}
	return v
}

func atOnceText(l *machine.Limit) string { return fmt.Sprintf("%d at once", l.AtOnce) }

func rateText(l *machine.Limit) string {
	return fmt.Sprintf("%d per %s", l.Rate, machine.DurationText(time.Duration(l.Window)))
}

// unchecked are the places of whom it was longest not known whether their runs are there, most of them at most.
func (l *Limiter) unchecked(before time.Time, most int) []*Place {
	held := slices.DeleteFunc(slices.Clone(l.Places), func(p *Place) bool { return p.waits() || !p.Checked.Before(before) })
	slices.SortStableFunc(held, func(a, b *Place) int { return a.Checked.Compare(b.Checked) })
	return held[:min(most, len(held))]
}
