package replay

import (
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// timetable makes the run keep to the times that the rows say, those of a cycle in
// both laps.
func (p *player) timetable() {
	for _, row := range p.w.Path {
		p.times = append(p.times, timeOf(row.At)) // the last row has none
	}
	for _, at := range p.w.Again {
		p.second = append(p.second, timeOf(at))
	}
}

func timeOf(text string) int64 {
	at, _ := time.ParseDuration(text)
	return int64(at)
}

// keepTo notes when the input of row i comes.
func (p *player) keepTo(r *run, i, round int) {
	r.row, r.round, r.at = i, round, 0
	if p.times != nil {
		r.at = p.timeAt(i, round)
	}
}

// timeAt is when row i comes. Where it is not said of the second lap that takes the
// time that the first took.
func (p *player) timeAt(i, round int) int64 {
	switch {
	case round == 0:
		return p.times[i]
	case i-p.w.Loop < len(p.second):
		return p.second[i-p.w.Loop]
	case p.w.Loop > 0:
		return p.times[i] + p.times[len(p.times)-2] - p.times[p.w.Loop-1]
	}
	return p.times[i] + p.times[len(p.times)-2]
}

// checkpointOf is the activity that notes in row how far it has come; nil where the
// row is something else.
func checkpointOf(r *run, row diag.Step) *ir.Do {
	name, ok := strings.CutSuffix(row.Input, " checkpoint")
	if !ok {
		return nil
	}
	for _, d := range r.leaf.Dos {
		if d.Label == name || d.Label == "" && d.Activity.Name == name {
			return d
		}
	}
	return nil
}
