package guard

// partition keeps which strings are equal: each is in one class, and pairs of
// strings are known to be in different ones. There are ever more strings to
// choose from, so that this decides equality: what is in different classes may
// differ, unless both hold a constant. Classes are merged by renaming one of them,
// in O(n). A class is named by one of its strings; one that holds a constant, by
// the constant.
type partition struct {
	class    []int32 // by string
	constant []bool  // by string
	apart    [][2]int32
	merged   []renaming
	work     int
}

// renaming is one string that changed its class.
type renaming struct{ text, old int32 }

func newPartition(texts []text) *partition {
	p := &partition{class: make([]int32, len(texts)), constant: make([]bool, len(texts))}
	for i := range texts {
		p.class[i], p.constant[i] = int32(i), texts[i].variable == nil
	}
	return p
}

// equal is what is known of x == y.
func (p *partition) equal(x, y int32) known {
	a, b := p.class[x], p.class[y]
	switch {
	case a == b:
		return yes
	case p.constant[a] && p.constant[b]:
		return no
	}
	p.work += len(p.apart)
	for _, pair := range p.apart {
		c, d := p.class[pair[0]], p.class[pair[1]]
		if a == c && b == d || a == d && b == c {
			return no
		}
	}
	return open
}

// separate makes x and y different; they must not be in one class.
func (p *partition) separate(x, y int32) { p.apart = append(p.apart, [2]int32{x, y}) }

// merge makes x and y equal; they must not be known to differ.
func (p *partition) merge(x, y int32) {
	from, to := p.class[y], p.class[x]
	if p.constant[from] {
		from, to = to, from
	}
	for i, c := range p.class {
		if c == from {
			p.class[i] = to
			p.merged = append(p.merged, renaming{int32(i), c})
		}
	}
	p.work += len(p.class)
}

// undo takes back what was added since there were so many pairs and renamings.
func (p *partition) undo(apart, merged int) {
	p.apart = p.apart[:apart]
	for i := len(p.merged) - 1; i >= merged; i-- {
		p.class[p.merged[i].text] = p.merged[i].old
	}
	p.merged = p.merged[:merged]
}
