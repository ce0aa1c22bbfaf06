package explore

import (
	"math/bits"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// phase is how far a visit has come.
type phase uint8

const (
	running  phase = iota
	entering       // the leaf's `require` is to be read
	rested         // `done` was handled without leaving
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

// layout says where in the words of a configuration its parts stand.
type layout struct {
	words int
	used  uint // bits of the last word

	leaf, ended, phase, cancelled field
	spent                         field // of the timers around the leaf, the outermost first
	slots                         []slots
	spentBit                      []uint64 // by timer ID: its bit in the spent field, 0 where none is kept
}

// slots is where the bits of one state's timers in the spent field end. They
// begin where those of the state around it end, so states side by side share
// theirs, and a step that does not leave a state keeps the bits below its end.
type slots uint

// maxSpent is the most timers on one path from the root to a leaf whose firing
// is remembered. What is beyond counts as never spent, which adds paths and
// hides none.
const maxSpent = 32

func newLayout(m *ir.Machine) *layout {
	l := &layout{words: 1, slots: make([]slots, len(m.States)), spentBit: make([]uint64, len(m.Timers))}
	dos, spent := 0, slots(0)
	for _, s := range m.States {
		dos = max(dos, len(s.Dos))
		end := slots(0)
		if s.Parent != nil {
			end = l.slots[s.Parent.ID]
		}
		for _, t := range s.Timers {
			if outlivesFiring(t) && end < maxSpent {
				l.spentBit[t.ID] = 1 << end
				end++
			}
		}
		l.slots[s.ID] = end
		spent = max(spent, end)
	}
	l.leaf = l.field(uint(bits.Len(uint(len(m.States)))))
	l.ended = l.field(uint(bits.Len(uint(dos))))
	l.phase = l.field(2)
	l.cancelled = l.field(1)
	l.spent = l.field(uint(spent))
	return l
}

// field takes the next width bits; a field never straddles two words.
func (l *layout) field(width uint) field {
	if l.used+width > 64 {
		l.words++
		l.used = 0
	}
	f := field{word: l.words - 1, shift: l.used, mask: 1<<width - 1}
	l.used += width
	return f
}

// outlivesFiring reports whether the state of t may still be active after t has
// fired, so that it matters that a timer fires once.
func outlivesFiring(t *ir.Timer) bool {
	for _, a := range t.Arms {
		if a.Kind != ir.Goto {
			return true
		}
		target := a.Target
		if target != nil && target.Kind != ir.Terminal && target != t.State && target.Inside(t.State) {
			return true
		}
	}
	return false
}
