package explore

// oracle enumerates the free choices of one step. The step is run again and
// again; each run asks for its choices in order and is answered from the list of
// the run before, whose last choice that has another answer is moved on. So
// every combination of answers is met once, and only choices that are really
// asked for cost anything. (The scheme is that of stateless search: Godefroid,
// Model Checking for Programming Languages using VeriSoft, POPL 1997.)
type oracle struct {
	answers []int32
	sizes   []int32
	asked   int

	runs  int             // of the step, so far
	moved int             // the answer that differs from the run before, -1 in the first run
	over  bool            // the run at hand is over; see triedAlike
	alike map[string]bool // what runs went on with
}

// choose answers with a number from 0 to n-1.
func (o *oracle) choose(n int) int {
	if n <= 1 || o.over {
		return 0
	}
	if o.asked == len(o.answers) {
		o.answers = append(o.answers, 0)
		o.sizes = append(o.sizes, int32(n))
	}
	o.asked++
	return int(o.answers[o.asked-1])
}

// begin starts with the first combination.
func (o *oracle) begin() {
	o.answers, o.sizes, o.asked = o.answers[:0], o.sizes[:0], 0
	o.runs, o.moved, o.over = 0, -1, false
	clear(o.alike)
}

// next moves on to the next combination, and reports whether there is one.
func (o *oracle) next() bool {
	o.runs, o.over = o.runs+1, false
	for n := len(o.answers); n > 0; n-- {
		if o.answers[n-1]+1 < o.sizes[n-1] {
			o.answers[n-1]++
			o.answers, o.sizes, o.asked, o.moved = o.answers[:n], o.sizes[:n], 0, n-1
			return true
		}
	}
	return false
}
