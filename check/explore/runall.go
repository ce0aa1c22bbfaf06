package explore

import "github.com/fsmc-dev/fsmc/check/witness"

// Runs with as many elements as there can be.

// RunBare is RunAll without those retries.
func (p *Product) RunBare(path []int32) (w *witness.Witness, whole bool) {
	r := p.recorder(true)
	r.bare = true
	r.take(path, -1)
	r.endAll()
	w, _ = r.finish()
	return w, !r.short
}

// RunAll is Run for a figure of the worst case: of lists as long as they can be, with all
// retries that count where a visit begins. Whole is false where some attempt that counts
// there has not started when the visit is left, and retries are false where some of those
// were not made.
func (p *Product) RunAll(path []int32) (w *witness.Witness, retries, whole bool) {
	r := p.recorder(true)
	r.take(path, -1)
	r.endAll()
	w, _ = r.finish()
	return w, !r.fewer, !r.short
}
