package replay

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// maxSteps is the most steps that one replay may try, and stepsEach for each row
// of the witness. A step that is tried another way counts for more where the run has many
// elements, since all of them are copied: for one more with each elementsEach of them.
const (
	maxSteps     = 20_000
	stepsEach    = 4
	elementsEach = 4
)

// maxForks is the most rows to which a search goes back; of a run of a hundred thousand
// rows each of which may come in two ways, a copy for each would not fit.
const maxForks = 4096

var errTooMany = errors.New("too many values are possible")

// fork is a row that is performed, and the ways in which that was not tried yet.
type fork struct {
	row   int
	round int  // how often the loop has been gone round
	run   *run // as it is when the input comes
	in    *input
	times []int64 // at which it may come, the first to be tried first
	who   []int   // the elements that may say it; one of them where it is of none
	data  payloads
	next  int // the way to be tried; each element comes with each time, and each of these with each payload
}

func (f *fork) ways() int { return len(f.who) * len(f.times) * f.data.count }

// search performs all rows with r, depth first: where a row cannot be performed,
// the last one that can be performed in another way is. It copies the run only
// at a row with several ways.
func (p *player) search(r *run) error {
	var forks []*fork
	forgot := false
	f, last := p.come(r, 0, 0)
	for {
		if f == nil && last == nil {
			return nil
		}
		if f == nil {
			if errors.Is(last, errTooLarge) {
				return last
			}
			if len(forks) == 0 && forgot {
				return errTooMany
			}
			if len(forks) == 0 {
				return last
			}
			f, forks = forks[len(forks)-1], forks[:len(forks)-1]
		}
		p.book.until.Look()
		cost := 1
		if f.next > 0 {
			cost += len(f.run.s.Tasks) / elementsEach
		}
		p.steps += cost
		if !p.stage.step(cost) || p.steps > p.most+stepsEach*len(p.w.Path) {
			return errTooMany
		}
		way := f.next
		f.next++
		r := f.run
		if f.next < f.ways() {
			r = f.run.clone()
			forks = append(forks, f)
			if len(forks) == maxForks {
				n := copy(forks, forks[maxForks/2:])
				clear(forks[n:])
				forks, forgot = forks[:n], true
			}
		}
		r.now = f.times[way/f.data.count%len(f.times)]
		f, last = p.try(r, f, f.who[way/f.data.count/len(f.times)], f.data.at(way%f.data.count))
	}
}

// come is row i as r meets it, and nil where that is the end of the witness,
// or with an error where it cannot come.
func (p *player) come(r *run, i, round int) (*fork, error) {
	row := p.w.Path[i]
	p.far = max(p.far, i)
	if r.leaf != row.State {
		return nil, fmt.Errorf("row %d: the run is in %q, not in %q", i, r.leaf.Path, row.State.Path)
	}
	if row.Input.Kind == witness.None {
		if round == 1 {
			if p.ending == AtOnce && r.now > r.over {
				return nil, fmt.Errorf("row %d: a lap takes %v", i, time.Duration(r.now-r.over))
			}
			if v := p.book.changed(r.lap, p.book.lapOf(r)); v != nil {
				p.changes = &Changes{v}
				return nil, p.changes
			}
			return nil, nil
		}
		if row.Children = r.childrenOpen(); p.w.Loop >= 0 {
			row.Children = nil
		}
		p.note(i, row)
		if err := errors.Join(p.recalls(r), p.holds(r)); err != nil {
			return nil, err
		}
		if p.w.AtEnd {
			p.ended = r.valuesOf(p.w.Values)
		}
		if p.w.Loop >= 0 {
			r.lap, r.over = p.book.lapOf(r), r.now
			return p.come(r, p.w.Loop, 1)
		}
		return nil, nil
	}
	if r.s.Status.Over() {
		return nil, fmt.Errorf("row %d: the run has ended", i)
	}
	if !r.begins(&row) {
		return nil, fmt.Errorf("row %d: there are not as many elements", i)
	}
	p.keepTo(r, i, round)
	if row.Input.Kind == witness.Checkpoint {
		if err := r.checkpoint(row.Input.Activity, max(r.now, r.at)); err != nil {
			return nil, fmt.Errorf("row %d: %w", i, err)
		}
		if round == 0 {
			row.At = time.Duration(r.now)
			p.note(i, row)
		}
		return p.come(r, i+1, round)
	}
	if p.passDeferred(r, row) != nil {
		return nil, fmt.Errorf("row %d: a deferred event comes first", i)
	}
	who := []int{0}
	if d := row.Input.Of(); d != nil && d.Fan != nil {
		var err error
		if who, err = r.who(d, row.Input.Element-1, row.Arm); err != nil {
			return nil, fmt.Errorf("row %d: %w", i, err)
		}
	}
	in, err := p.arrives(r, row, who[0])
	if err != nil {
		return nil, fmt.Errorf("row %d: %w", i, err)
	}
	if row.Arm == nil || row.Arm.Kind != ir.Retry || p.early {
		in.overs = p.overs(i)
	}
	f := &fork{row: i, round: round, run: r, in: in, times: []int64{r.now}, who: who, data: p.payloads(r, in, i)}
	if shown, ok := p.carried[i]; ok && round == 1 && !in.deferred {
		f.data = payloads{fixed: shown, count: 1} // the witness shows one lap
	}
	if at := r.now; p.late && r.linger(in) {
		f.times, r.now = []int64{r.now, at}, at
	}
	if f.ways() == 0 {
		return nil, fmt.Errorf("row %d: no value fits", i)
	}
	return f, nil
}

// try performs f with one payload, and gives the row that comes next.
func (p *player) try(r *run, f *fork, who int, data map[string]machine.Value) (*fork, error) {
	i, row := f.row, p.w.Path[f.row]
	lastInput := i == len(p.w.Path)-2 && p.w.Loop < 0
	given := *f.in
	given.data, given.element = data, who
	if d := row.Input.Of(); d != nil && d.Fan != nil {
		if r.plays(d, row.Input.Element-1, who); who != f.who[0] {
			if err := r.await(&given); err != nil {
				return nil, fmt.Errorf("row %d: %w", i, err)
			}
		}
		row.Input.Element = who + 1
	}
	r.noteGiven()
	at, before := r.now, *r
	if p.book.calls {
		before.started = slices.Clone(r.started)
	}
	if lastInput && !p.w.AtEnd {
		p.ended = r.valuesOf(p.w.Values)
	}
	err := r.take(&given)
	ends := lastInput && p.ends(err, i)
	switch {
	case ends:
	case err == nil && lastInput && p.ending > Latest:
		return nil, fmt.Errorf("row %d: %s is taken", i, row.Input.Text())
	case err != nil:
		return nil, fmt.Errorf("row %d: %s: %w", i, row.Input.Text(), err)
	}
	if f.round == 0 {
		if p.w.Loop >= 0 && i >= p.w.Loop {
			p.carried[i] = data
		}
		p.show(&row, f.in, data)
		row.At = time.Duration(at)
		row.Children = r.childrenOf(&given, &before)
		p.note(i, row)
	}
	if ends {
		if err != nil {
			p.note(i+1, p.w.Path[i+1])
		}
		return nil, nil
	}
	return p.come(r, i+1, f.round)
}

// payloads are the payloads to try for an input: every combination of one value
// of each field, the first ones first, up to maxChoices.
type payloads struct {
	spots  spots
	values [][]machine.Value // by field
	fixed  map[string]machine.Value
	count  int
}

// at is the payload with number n; nil where the input has none.
func (l *payloads) at(n int) map[string]machine.Value {
	if l.spots.list == nil {
		return l.fixed
	}
	values := make([]machine.Value, len(l.values))
	for k := len(l.values) - 1; k >= 0; k-- {
		values[k] = l.values[k][n%len(l.values[k])]
		n /= len(l.values[k])
	}
	data := make(map[string]machine.Value, len(values))
	for k, v := range l.spots.made(values) {
		data[l.spots.list[k].Name] = v
	}
	return data
}

// counted says how many there are. Of each field there are further values to try, where that
// leaves all combinations within what is tried.
func (l payloads) counted(further func(i int) []machine.Value) payloads {
	l.count = 1
	for _, list := range l.values {
		l.count = min(l.count*len(list), maxChoices)
	}
	for i, list := range l.values {
		for _, v := range further(i) {
			if l.count/len(list)*(len(list)+1) > maxChoices {
				break
			}
			if !slices.ContainsFunc(list, func(o machine.Value) bool { return key(o) == key(v) }) {
				l.count = l.count / len(list) * (len(list) + 1)
				list = append(list[:len(list):len(list)], v)
			}
		}
		l.values[i] = list
	}
	return l
}
