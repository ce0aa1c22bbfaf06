package step

// Oracle enumerates the free choices of one step. The step is run again and
// again; each run asks for its choices in order and is answered from the list of
// the run before, whose last choice that has another answer is moved on. So
// every combination of answers is met once, and only choices that are really
// asked for cost anything. (The scheme is that of stateless search: Godefroid,
// Model Checking for Programming Languages using VeriSoft, POPL 1997.)
type Oracle struct {
	answers []int32
	sizes   []int32
	asked   int

	runs  int             // of the step, so far
	moved int             // the answer that differs from the run before, -1 in the first run
	Over  bool            // the run at hand is over; see triedAlike
	alike map[string]bool // what runs went on with
}

// Choose answers with a number from 0 to n-1. After the same answers, each run has to ask the same:
// else combinations would be left out, and that would show nowhere.
func (o *Oracle) Choose(n int) int {
	if n <= 1 || o.Over {
		return 0
	}
	if o.asked == len(o.answers) {
		o.answers = append(o.answers, 0)
		o.sizes = append(o.sizes, int32(n))
	}
	if o.sizes[o.asked] != int32(n) {
		panic("two runs of one step ask for different choices")
	}
	o.asked++
	return int(o.answers[o.asked-1])
}

// Runs is how many runs of the step came before the one at hand.
func (o *Oracle) Runs() int { return o.runs }

// Begin starts with the first combination.
func (o *Oracle) Begin() {
	o.answers, o.sizes, o.asked = o.answers[:0], o.sizes[:0], 0
	o.runs, o.moved, o.Over = 0, -1, false
	clear(o.alike)
}

// Next moves on to the next combination, and reports whether there is one.
func (o *Oracle) Next() bool {
	o.runs, o.Over = o.runs+1, false
	for n := len(o.answers); n > 0; n-- {
		if o.answers[n-1]+1 < o.sizes[n-1] {
			o.answers[n-1]++
			o.answers, o.sizes, o.asked, o.moved = o.answers[:n], o.sizes[:n], 0, n-1
			return true
		}
	}
	return false
}
