package machine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Snapshots, inputs and records say their members once, by the names of the definition, in the order in which
// they are written; what is empty is left out. They are read back strictly, so that writing what was read gives
// the same bytes; and in any order, but for those whose type another one says, which stand behind it.

// coder writes objects of JSON, or reads them. What it reads of a damaged text is not to be used.
type coder struct {
	m *Machine
	b []byte // what is written

	in    *scanner // nil for one that writes
	err   error
	key   []byte   // of the member that is read next; nil for none
	keys  [][]byte // those before it, behind those of the objects around
	outer int      // how many of keys are of those
}

// encoded is what write appends, in memory just as long: how long a text becomes
// is not known before.
func encoded(m *Machine, write func(*coder)) json.RawMessage {
	c := coders.Get().(*coder)
	defer coders.Put(c)
	c.m, c.b = m, c.b[:0]
	write(c)
	return bytes.Clone(c.b)
}

// coders write texts before they are copied.
var coders = sync.Pool{New: func() any { return new(coder) }}

// object is an object of members, which names them in their order:
//
//	c.object(func() {
//		c.text("name", &of.Name)
//		c.text("amount", &of.Amount)
//	})
//
// Of a text with the two in another order, a reader finds name when it calls members again: it calls that
// until no member is read.
func (c *coder) object(members func()) {
	if c.in == nil {
		c.b = append(c.b, '{')
		members()
		c.b = append(c.b, '}')
		return
	}
	key, outer := c.key, c.outer
	c.outer = len(c.keys)
	c.err = c.in.open('{')
	for c.next(true); c.key != nil; {
		at := c.in.pos
		if members(); c.key != nil && c.in.pos == at {
			c.err, c.key = unknownKey(string(c.key)), nil
		}
	}
	c.in.depth--
	c.key, c.keys, c.outer = key, c.keys[:c.outer], outer
}

// next reads the key of the next member, if there is one and nothing is damaged.
func (c *coder) next(first bool) {
	if c.key = nil; c.err != nil {
		return
	}
	key, err := c.in.key(first)
	switch {
	case err != nil:
	case key == nil:
		return
	case slices.ContainsFunc(c.keys[c.outer:], func(other []byte) bool { return string(other) == string(key) }):
		err = &duplicateKey{string(key)}
	default:
		err = c.in.colon()
	}
	if c.err = err; err == nil {
		c.key, c.keys = key, append(c.keys, key)
	}
}

func unknownKey(key string) error { return fmt.Errorf("there is no member %q", shorten(key)) }

// begins reports whether the member with that name stands here: of what is written where there is some of it. Its
// value comes next, and then ends.
func (c *coder) begins(name string, some bool) bool {
	if c.in != nil {
		return string(c.key) == name
	}
	if some {
		c.member(name)
	}
	return some
}

func (c *coder) member(name string) {
	c.comma()
	b := append(c.b, '"')
	b = append(b, name...)
	c.b = append(b, '"', ':')
}

func (c *coder) ends() {
	if c.in != nil {
		c.next(false)
	}
}

// comma stands between the members, or items, that are written.
func (c *coder) comma() {
	if last := c.b[len(c.b)-1]; last != '{' && last != '[' {
		c.b = append(c.b, ',')
	}
}

// reads reports whether nothing is damaged of what has been read; false for one that writes.
func (c *coder) reads() bool { return c.in != nil && c.err == nil }

// none says of what is read that nothing is known yet.
func (c *coder) none(to *int) {
	if c.in != nil {
		*to = -1
	}
}

// text leaves the empty string out.
func (c *coder) text(name string, to *string) {
	if c.begins(name, *to != "") {
		c.string(to)
		c.ends()
	}
}

func (c *coder) string(to *string) {
	if c.in == nil {
		c.b = appendText(c.b, *to)
	} else {
		*to, c.err = c.in.text()
	}
}

// number is a count, which is not negative. It leaves 0 out.
func number[T int | int64](c *coder, name string, to *T) {
	if c.begins(name, *to != 0) {
		count(c, to)
		c.ends()
	}
}

// maxCount bounds sequence numbers, visits and attempts that are read back.
const maxCount = 1 << 60

func count[T int | int64](c *coder, to *T) {
	if c.in == nil {
		c.b = strconv.AppendInt(c.b, int64(*to), 10)
		return
	}
	n, err := c.in.integer()
	if err == nil && (n < 0 || n > maxCount) {
		err = c.in.fail(fmt.Sprintf("%d is no count", n))
	}
	*to, c.err = T(n), err
}

// truth leaves false out.
func (c *coder) truth(name string, to *bool) {
	if c.begins(name, *to) {
		c.bool(to)
		c.ends()
	}
}

func (c *coder) bool(to *bool) {
	if c.in == nil {
		c.b = strconv.AppendBool(c.b, *to)
	} else {
		*to, c.err = c.in.boolean()
	}
}

// time leaves the zero time out.
func (c *coder) time(name string, to *time.Time) {
	if c.begins(name, !to.IsZero()) {
		if c.in == nil {
			c.b = appendTime(c.b, *to)
		} else {
			*to, c.err = c.in.time()
		}
		c.ends()
	}
}

// duration leaves 0 out.
func (c *coder) duration(name string, to *time.Duration) {
	if c.begins(name, *to != 0) {
		if c.in == nil {
			c.b = appendText(c.b, to.String())
		} else {
			*to, c.err = c.in.duration()
		}
		c.ends()
	}
}

// ref is the name of what to is the index of. It leaves -1 out, and the machine, which has no name as a state.
func (c *coder) ref(name string, of *names, to *int) {
	if c.begins(name, c.in == nil && *to >= 0 && of.quoted[*to] != `""`) {
		c.refer(of, to)
		c.ends()
	}
}

func (c *coder) refer(of *names, to *int) {
	if c.in == nil {
		c.b = append(c.b, of.quoted[*to]...)
		return
	}
	name, err := c.in.text()
	i, ok := of.index[name]
	switch {
	case err != nil:
		c.err = err
	case !ok:
		c.err = fmt.Errorf("there is no %s %q", of.what, shorten(name))
	default:
		*to = i
	}
}

// fields are an object that has every one of fields, and is left out where there are none.
func (c *coder) fields(name string, fields []Field, to *[]Value) {
	if c.begins(name, len(fields) > 0) {
		if c.in == nil {
			c.b = appendFields(c.b, fields, *to)
		} else {
			*to, c.err = c.m.allFields(c.in, fields)
		}
		c.ends()
	}
}

// allFields reads an object that has every one of fields.
func (m *Machine) allFields(s *scanner, fields []Field) ([]Value, error) {
	values, err := m.def.scanFields(s, fields, false)
	if err == nil {
		err = m.def.checkFields(fields, values)
	}
	return values, err
}

// list leaves the empty list out.
func list[T any](c *coder, name string, items *[]T, item func(*T)) {
	if !c.begins(name, len(*items) > 0) {
		return
	}
	if c.in != nil {
		c.err = c.in.array(func(i int) error {
			*items = append(*items, *new(T))
			item(&(*items)[i])
			return c.err
		})
		c.ends()
		return
	}
	c.b = append(c.b, '[')
	for i := range *items {
		c.comma()
		item(&(*items)[i])
	}
	c.b = append(c.b, ']')
}

func (c *coder) texts(name string, to *[]string) { list(c, name, to, c.string) }

// costs are written by AddAmounts, but for those that were reported and are none.
func (c *coder) costs(name string, to *[]Cost) {
	list(c, name, to, func(cost *Cost) {
		if c.cost(cost); !c.reads() {
			return
		}
		if amount, ok := parseDecimal(cost.Amount); !ok || amount.String() != cost.Amount || !isCostName(cost.Name) {
			c.err = c.in.fail("a cost is damaged")
		}
	})
}

func (c *coder) cost(of *Cost) {
	c.object(func() {
		c.text("name", &of.Name)
		c.text("amount", &of.Amount)
	})
}
