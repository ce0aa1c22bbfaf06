package explore

import (
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A configuration is packed into words, so that millions of them fit and are
// compared quickly. A field is some bits of one word.
type field struct {
	word  int
	shift uint
	mask  uint64
}

func (f field) get(words []uint64) uint64 { return words[f.word] >> f.shift & f.mask }

func (f field) set(words []uint64, v uint64) {
	words[f.word] = words[f.word]&^(f.mask<<f.shift) | (v&f.mask)<<f.shift
}

// slots is where the bits of one state's timers in the spent field end. They
// begin where those of the state around it end, so states side by side share
// theirs, and a step that does not leave a state keeps the bits below its end.
type slots uint

// maxSpent is the most timers on one path from the root to a leaf whose firing
// is remembered. What is beyond counts as never spent, which adds paths and
// hides none.
const maxSpent = 32

// spentSlots gives the timers whose firing is to be remembered their bits: by
// state ID where those of a state end, by timer ID the bit (0 where none is remembered),
// and how many bits that takes, the timers around a leaf with the outermost first.
func spentSlots(m *ir.Machine) (ends []slots, bit []uint64, width int) {
	ends, bit = make([]slots, len(m.States)), make([]uint64, len(m.Timers))
	for _, s := range m.States {
		end := slots(0)
		if s.Parent != nil {
			end = ends[s.Parent.ID]
		}
		for _, t := range s.Timers {
			if timing.OutlivesFiring(t) && end < maxSpent {
				bit[t.ID] = 1 << end
				end++
			}
		}
		ends[s.ID] = end
		width = max(width, int(end))
	}
	return ends, bit, width
}
