package data

// Bits are some bits of one word. A configuration is packed into words, so that
// millions of them fit and are compared quickly.
type Bits struct {
	Word  int
	Shift uint
	Mask  uint64
}

// Get reads them.
func (f Bits) Get(words []uint64) uint64 { return words[f.Word] >> f.Shift & f.Mask }

// Set writes them.
func (f Bits) Set(words []uint64, v uint64) {
	words[f.Word] = words[f.Word]&^(f.Mask<<f.Shift) | (v&f.Mask)<<f.Shift
}

// Slot is where a configuration holds a variable: the code less base,
// and 0 means unset where the variable may be that.
type Slot struct {
	Bits
	Base  int64
	Unset bool
}

// Load is the code of the variable, and whether it is set.
func (s *Slot) Load(words []uint64) (code int64, set bool) {
	v := s.Get(words)
	if s.Unset {
		if v == 0 {
			return 0, false
		}
		v--
	}
	return int64(v) + s.Base, true
}

// Store sets the variable.
func (s *Slot) Store(words []uint64, code int64) {
	v := uint64(code - s.Base)
	if s.Unset {
		v++
	}
	s.Set(words, v)
}
