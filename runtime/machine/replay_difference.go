package machine

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Differs is the first place where two texts of JSON differ, both canonical:
// the members of an object in the order in which they are stored, and those
// that are not stored after them. Where they hold the same and are written
// differently the whole is what differs.
func Differs(run string, seq int64, field string, stored, replayed json.RawMessage) *Difference {
	d := &Difference{Run: run, Seq: seq, Field: field, Stored: stored, Replayed: replayed}
	if field == "" {
		d.Field = "record"
	}
	for {
		name, s, r, ok := firstMember(d.Stored, d.Replayed)
		if !ok {
			return d
		}
		d.Field, d.Stored, d.Replayed = d.Field+name, s, r
	}
}

// firstMember goes one level down, where both are objects or both are lists.
func firstMember(a, b json.RawMessage) (name string, inA, inB json.RawMessage, ok bool) {
	left, kind := members(a)
	right, other := members(b)
	if kind != other || kind == 0 {
		return "", nil, nil, false
	}
	find := func(in []member, name string) json.RawMessage {
		for _, m := range in {
			if m.name == name {
				return m.value
			}
		}
		return nil
	}
	for _, m := range append(left, right...) {
		l, r := find(left, m.name), find(right, m.name)
		if !bytes.Equal(l, r) {
			return m.name, l, r, true
		}
	}
	return "", nil, nil, false
}

// member is a part of an object (".name") or of a list ("[0]").
type member struct {
	name  string
	value json.RawMessage
}

// members takes an object or a list apart; kind is its opening bracket, or 0
// for what is neither, or no JSON.
func members(text json.RawMessage) (parts []member, kind json.Delim) {
	dec := json.NewDecoder(bytes.NewReader(text))
	token, err := dec.Token()
	kind, bracket := token.(json.Delim)
	if err != nil || !bracket {
		return nil, 0
	}
	for i := 0; dec.More(); i++ {
		m := member{name: "[" + strconv.Itoa(i) + "]"}
		if kind == '{' {
			key, err := dec.Token()
			name, text := key.(string)
			if err != nil || !text {
				return nil, 0
			}
			m.name = "." + name
		}
		if dec.Decode(&m.value) != nil {
			return nil, 0
		}
		parts = append(parts, m)
	}
	return parts, kind
}
