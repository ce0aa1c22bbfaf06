package explore

import "slices"

// store numbers the distinct configurations in the order in which they are
// added. They lie behind one another in one slice. The hash table beside it has
// open addressing and linear probing; an entry is the number of a configuration
// and 32 bits of its hash, so that a probe seldom looks at a configuration that
// is another one, and growing looks at none.
type store struct {
	width int      // words of a configuration
	words []uint64 // configuration c is words[c*width : (c+1)*width]
	table []uint64 // hash<<32 | number+1, 0 where empty; the length is a power of two
	count int
}

func newStore(width int) *store {
	return &store{width: width, table: make([]uint64, 1<<8)}
}

// at is the configuration with number c. It is valid until the next add.
func (s *store) at(c int32) []uint64 {
	return s.words[int(c)*s.width : (int(c)+1)*s.width]
}

// add gives the number of config, and whether it is new.
func (s *store) add(config []uint64) (c int32, fresh bool) {
	if 2*s.count >= len(s.table) {
		s.grow()
	}
	h := hash(config) >> 32
	mask := uint64(len(s.table) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		entry := s.table[i]
		if entry == 0 {
			s.words = append(s.words, config...)
			s.count++
			s.table[i] = h<<32 | uint64(s.count)
			return int32(s.count - 1), true
		}
		if entry>>32 == h {
			if c := int32(uint32(entry)) - 1; slices.Equal(s.at(c), config) {
				return c, false
			}
		}
	}
}

// find is the number of config, or None.
func (s *store) find(config []uint64) int32 {
	h := hash(config) >> 32
	mask := uint64(len(s.table) - 1)
	for i := h & mask; s.table[i] != 0; i = (i + 1) & mask {
		if entry := s.table[i]; entry>>32 == h && slices.Equal(s.at(int32(uint32(entry))-1), config) {
			return int32(uint32(entry)) - 1
		}
	}
	return None
}

// grow doubles the table.
func (s *store) grow() {
	old := s.table
	s.table = make([]uint64, 2*len(old))
	mask := uint64(len(s.table) - 1)
	for _, entry := range old {
		if entry == 0 {
			continue
		}
		i := entry >> 32 & mask
		for s.table[i] != 0 {
			i = (i + 1) & mask
		}
		s.table[i] = entry
	}
}

// hash mixes the words of a configuration, each with half the finalizer of
// MurmurHash3 (Austin Appleby, public domain); the upper bits are the good ones.
func hash(words []uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, w := range words {
		h ^= w
		h *= 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return h * 0xc4ceb9fe1a85ec53
}
