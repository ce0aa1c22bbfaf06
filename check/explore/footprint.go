package explore

// footprint is what the runs of one step read and write of the data that is held.
type footprint struct {
	noted bool
	data  []uint64 // all bits that are data
	read  []uint64 // before it was written, in some run
	wrote []uint64 // in the run at hand
}

func (p *program) dataBits() []uint64 {
	mask := make([]uint64, p.packing.words)
	for _, n := range p.tracked.nodes {
		if n.slot != nil {
			n.slot.set(mask, ^uint64(0))
		}
	}
	return mask
}

func (f *footprint) begin(p *program) {
	if f.data == nil {
		f.data = p.dataBits()
		f.read, f.wrote = make([]uint64, len(f.data)), make([]uint64, len(f.data))
	}
	f.noted = true
	clear(f.read)
}

// reads notes that n is read, where that is noted. It is small, so that it costs next to
// nothing elsewhere.
func (f *footprint) reads(n *node) {
	if f.noted {
		f.noteRead(n)
	}
}

func (f *footprint) noteRead(n *node) {
	if n.slot != nil {
		f.read[n.slot.word] |= n.slot.mask << n.slot.shift &^ f.wrote[n.slot.word]
	}
}

// readsOld is reads of what n was before the step.
func (f *footprint) readsOld(n *node) {
	if f.noted && n.slot != nil {
		f.read[n.slot.word] |= n.slot.mask << n.slot.shift
	}
}

// writes notes that n is written.
func (f *footprint) writes(n *node) {
	if f.noted {
		f.wrote[n.slot.word] |= n.slot.mask << n.slot.shift
	}
}

// drops notes that only what is live is held.
func (f *footprint) drops(live []uint64) {
	for i, bits := range live {
		f.wrote[i] |= f.data[i] &^ bits
	}
}

// unread are the bits of data that no run reads.
func (f *footprint) unread() (mask []uint64, any bool) {
	mask = make([]uint64, len(f.data))
	for i := range mask {
		mask[i] = f.data[i] &^ f.read[i]
		any = any || mask[i] != 0
	}
	return mask, any
}
