package replay

// timetable makes the run keep to the times that the rows say, those of a cycle in
// both laps.
func (p *player) timetable() {
	for _, row := range p.w.Path {
		p.times = append(p.times, int64(row.At)) // the last row has none
	}
	for _, at := range p.w.Again {
		p.second = append(p.second, int64(at))
	}
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
