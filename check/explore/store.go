package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/graph"
)

// store numbers the distinct configurations in the order in which they are
// added. They lie behind one another in one slice. The hash table beside it has
// open addressing and linear probing; an entry is the number of a configuration
// and 32 bits of its hash, so that a probe seldom looks at a configuration that
// is another one, and growing looks at none.
//
// A configuration that fits into 32 bits has a hash that no other has, so that
// entries of one hash are one configuration: such a probe looks at none at all.
type store struct {
	width   int      // words of a configuration
	perfect bool     // equal hashes are equal configurations
	words   []uint64 // configuration c is words[c*width : (c+1)*width]
	table   []uint64 // hash<<32 | number+1, 0 where empty; the length is a power of two
	count   int
	last    uint64 // see fetch
}

// newStore makes a store of configurations of width words, of which the last has
// as many bits as given.
func newStore(width int, bits uint) *store {
	return &store{width: width, perfect: width == 1 && bits <= 32, table: make([]uint64, 1<<8)}
}

// at is the configuration with number c. It is valid until the next add.
func (s *store) at(c int32) []uint64 {
	return s.words[int(c)*s.width : (int(c)+1)*s.width]
}

// fetch brings the place of hash h in the table nearer to the processor, for the
// add that follows. That it notes what stands there keeps it from being left out.
func (s *store) fetch(h uint64) { s.last = s.table[h&uint64(len(s.table)-1)] }

// add gives the number of config, whose hash is h, and whether it is new.
func (s *store) add(config []uint64, h uint64) (c int32, fresh bool) {
	if 2*s.count >= len(s.table) {
		s.grow()
	}
	mask := uint64(len(s.table) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		entry := s.table[i]
		if entry == 0 {
			s.words = push(s.words, config...)
			s.count++
			s.table[i] = h<<32 | uint64(s.count)
			return int32(s.count - 1), true
		}
		if entry>>32 == h && s.is(entry, config) {
			return int32(uint32(entry)) - 1, false
		}
	}
}

// is reports whether entry, which has the hash of config, is config.
func (s *store) is(entry uint64, config []uint64) bool {
	return s.perfect || slices.Equal(s.at(int32(uint32(entry))-1), config)
}

// push is append that doubles: the runtime grows long slices by a quarter, and so
// copies each element four times.
func push[T any](list []T, more ...T) []T {
	if len(list)+len(more) > cap(list) {
		list = slices.Grow(list, len(list)+len(more))
	}
	return append(list, more...)
}

// find is the number of config, or None.
func (s *store) find(config []uint64) int32 {
	h := s.hash(config)
	mask := uint64(len(s.table) - 1)
	for i := h & mask; s.table[i] != 0; i = (i + 1) & mask {
		if entry := s.table[i]; entry>>32 == h && s.is(entry, config) {
			return int32(uint32(entry)) - 1
		}
	}
	return graph.None
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
// MurmurHash3 (Austin Appleby, public domain); the upper 32 bits are the good
// ones. 32 bits alone get the whole finalizer, which is a permutation of them.
func (s *store) hash(words []uint64) uint64 {
	if s.perfect {
		h := uint32(words[0])
		h = (h ^ h>>16) * 0x85ebca6b
		h = (h ^ h>>13) * 0xc2b2ae35
		return uint64(h ^ h>>16)
	}
	h := uint64(0x9e3779b97f4a7c15)
	for _, w := range words {
		h ^= w
		h *= 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return h * 0xc4ceb9fe1a85ec53 >> 32
}
