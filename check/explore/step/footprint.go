package step

import "github.com/fsmc-dev/fsmc/check/explore/data"

// Footprint is what the runs of one step read and write of the data that is held.
type Footprint struct {
	Noted bool
	Data  []uint64 // all bits that are data
	read  []uint64 // before it was written, in some run
	Wrote []uint64 // in the run at hand
}

func (p *Program) dataBits() []uint64 {
	mask := make([]uint64, p.Packing.Words)
	for _, n := range p.Tracked.Nodes {
		if n.Slot != nil {
			n.Slot.Set(mask, ^uint64(0))
		}
	}
	for _, r := range p.recalled {
		r.node.Slot.Set(mask, ^uint64(0))
	}
	return mask
}

// Begin begins to note what the runs of another step do.
func (f *Footprint) Begin(p *Program) {
	if f.Data == nil {
		f.Data = p.dataBits()
		f.read, f.Wrote = make([]uint64, len(f.Data)), make([]uint64, len(f.Data))
	}
	f.Noted = true
	clear(f.read)
}

// reads notes that n is read, where that is noted. It is small, so that it costs next to
// nothing elsewhere.
func (f *Footprint) reads(n *data.Node) {
	if f.Noted {
		f.noteRead(n)
	}
}

func (f *Footprint) noteRead(n *data.Node) {
	if n.Slot != nil {
		f.read[n.Slot.Word] |= n.Slot.Mask << n.Slot.Shift &^ f.Wrote[n.Slot.Word]
	}
}

// readsOld is reads of what n was before the step.
func (f *Footprint) readsOld(n *data.Node) {
	if f.Noted && n.Slot != nil {
		f.read[n.Slot.Word] |= n.Slot.Mask << n.Slot.Shift
	}
}

// writes notes that n is written.
func (f *Footprint) writes(n *data.Node) {
	if f.Noted {
		f.Wrote[n.Slot.Word] |= n.Slot.Mask << n.Slot.Shift
	}
}

// drops notes that only what is live is held.
func (f *Footprint) drops(live []uint64) {
	for i, bits := range live {
		f.Wrote[i] |= f.Data[i] &^ bits
	}
}

// Unread are the bits of data that no run reads.
func (f *Footprint) Unread() (mask []uint64, any bool) {
	mask = make([]uint64, len(f.Data))
	for i := range mask {
		mask[i] = f.Data[i] &^ f.read[i]
		any = any || mask[i] != 0
	}
	return mask, any
}
