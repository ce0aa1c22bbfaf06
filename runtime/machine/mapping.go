package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Mapping says how a run fits a new definition where names have changed. What it
// does not name keeps its name.
type Mapping struct {
	// States are the new paths of states, by their old ones. The names of what
	// stands in a state (activities, timers, arms) change with it. Two states can
	// become one.
	States map[string]string `json:"states"`
	// Fields are the new names of context fields, by their old ones; an empty
	// one gives up what the field holds. Two fields cannot become one. A record can be
	// named as a whole, or a place in it.
	Fields map[string]string `json:"fields"`
	// Set gives values to fields and parameters of the new definition.
	Set map[string]json.RawMessage `json:"set"`
}

// DecodeMapping reads a mapping from JSON as strictly as a payload is read: an
// object with states, fields and set, or some of them, and nothing twice.
func DecodeMapping(text []byte) (Mapping, error) {
	var p Mapping
	s := &scanner{data: text}
	switch {
	case s.peek() == 0 && s.pos == len(text):
		return p, errors.New("it is empty")
	case s.peek() != '{':
		return p, fmt.Errorf(`expected an object like {"states": {"Old": "New"}}, found %s`, s.found())
	}
	err := s.object(func(key string) error { return p.scan(s, key) })
	if err == nil {
		err = s.end()
	}
	if fault, ok := err.(*scanError); ok { // not within a member
		err = fmt.Errorf("it is not valid JSON: %w", fault)
	}
	return p, err
}

// scan reads one member of a mapping.
func (p *Mapping) scan(s *scanner, key string) error {
	var err error
	switch key {
	case "states":
		p.States, err = scanMembers(s, s.text)
	case "fields":
		p.Fields, err = scanMembers(s, s.text)
	case "set":
		p.Set, err = scanMembers(s, func() (json.RawMessage, error) { return s.appendRaw(nil) })
		for _, name := range slices.Sorted(maps.Keys(p.Set)) {
			if err == nil && string(p.Set[name]) == `"?"` { // as fsmc breaking has written it
				err = fmt.Errorf("%q is still \"?\": fill in its value", shorten(name))
			}
		}
	default:
		return fmt.Errorf(`%q is none of "states", "fields" and "set"`, shorten(key))
	}
	if err != nil {
		return fmt.Errorf("%q: %w", key, err)
	}
	return nil
}

// scanMembers reads an object whose values are all of one kind; null stands for
// one without any, as encoding/json writes a Mapping.
func scanMembers[T any](s *scanner, value func() (T, error)) (map[string]T, error) {
	if s.word("null") {
		return nil, nil
	}
	if s.peek() != '{' {
		return nil, fmt.Errorf("expected an object, found %s", s.found())
	}
	members := map[string]T{}
	return members, s.object(func(key string) (err error) {
		members[key], err = value()
		return err
	})
}

// state is the new path of a state, or of what stands in it.
func (p *Mapping) state(name string) string {
	for _, old := range slices.Backward(slices.Sorted(maps.Keys(p.States))) { // of nested ones the inner first
		rest, ok := strings.CutPrefix(name, old)
		if ok && (rest == "" || strings.ContainsRune("/ .", rune(rest[0]))) {
			return p.States[old] + rest
		}
	}
	return name
}

// field is the new name of a field, or of a leaf of a record; empty where the mapping gives
// it up.
func (p *Mapping) field(name string) string {
	if to, renamed := p.Fields[name]; renamed {
		return to
	}
	for end := strings.LastIndexByte(name, '.'); end > 0; end = strings.LastIndexByte(name[:end], '.') {
		if to, renamed := p.Fields[name[:end]]; renamed && to != "" {
			return to + name[end:]
		} else if renamed {
			return ""
		}
	}
	return name
}

// Origins are the old names of fields by their new ones. Where two of fields would
// become one, what one of them holds would be lost.
func (p *Mapping) Origins(fields []Field) (map[string]string, error) {
	origins := make(map[string]string, len(fields))
	for i := range fields {
		old := fields[i].Name
		name := p.field(old)
		if name == "" {
			continue
		}
		if other, taken := origins[name]; taken {
			return nil, fmt.Errorf("the mapping gives %q two origins, %q and %q: give one up with \"\"", name, other, old)
		}
		origins[name] = old
	}
	return origins, nil
}
