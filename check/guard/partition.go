package guard

// partition keeps which strings are equal: each is in one class, and pairs of
// strings are known to be in different ones. There are ever more strings to
// choose from, so that this decides equality: what is in different classes may
// differ, unless both hold a constant. Classes are merged by renaming one of them,
// in O(n). A class is named by one of its strings; one that holds a constant, by
// the constant. Where there are many pairs of strings, those of classes are looked up, until classes
// are merged.
type partition struct {
	class    []int32 // by string
	constant []bool  // by string
	apart    [][2]int32
	looked   map[[2]int32]int // how many pairs make two classes different, the lower first; nil until it is asked
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
	if len(p.apart) > fewPairs {
		p.look()
		return [...]known{open, no}[min(p.looked[inOrder(a, b)], 1)]
	}
	p.work += len(p.apart)
	for _, pair := range p.apart {
		if p.classes(pair) == inOrder(a, b) {
			return no
		}
	}
	return open
}

// fewPairs is how many are gone through one by one. Tests change it.
var fewPairs = 64

// look makes the pairs of classes ready to be looked up.
func (p *partition) look() {
	if p.work++; p.looked != nil {
		return
	}
	p.work += len(p.apart)
	p.looked = map[[2]int32]int{}
	for _, pair := range p.apart {
		p.looked[p.classes(pair)]++
	}
}

// classes are those of a pair, the lower first.
func (p *partition) classes(pair [2]int32) [2]int32 {
	return inOrder(p.class[pair[0]], p.class[pair[1]])
}

func inOrder(a, b int32) [2]int32 { return [2]int32{min(a, b), max(a, b)} }

// separate makes x and y different; they must not be in one class.
func (p *partition) separate(x, y int32) {
	p.apart = append(p.apart, [2]int32{x, y})
	if p.looked != nil {
		p.looked[p.classes([2]int32{x, y})]++
	}
}

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
	p.looked = nil
}

// undo takes back what was added since there were so many pairs and renamings.
func (p *partition) undo(apart, merged int) {
	if merged < len(p.merged) {
		p.looked = nil
	}
	if p.looked != nil {
		for _, pair := range p.apart[apart:] {
			p.looked[p.classes(pair)]--
		}
	}
	p.apart = p.apart[:apart]
	for i := len(p.merged) - 1; i >= merged; i-- {
		p.class[p.merged[i].text] = p.merged[i].old
	}
	p.merged = p.merged[:merged]
}
