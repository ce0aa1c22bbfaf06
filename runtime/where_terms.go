package runtime

import (
	"fmt"
	"strings"
)

// blanks stand between terms.
const blanks = " ,\t\n\r"

// term is a part of what ParseWhere reads.
type term struct {
	key, value string
	quoted     bool // the value
}

// termReader reads terms one after the other.
type termReader struct{ rest string }

// readTerms gives the terms of a text.
func readTerms(text string) (terms []term, err error) {
	r := termReader{text}
	for {
		r.skip(blanks)
		if r.rest == "" {
			return terms, nil
		}
		t, err := r.next()
		if err != nil {
			return nil, err
		}
		if t.key != "" {
			terms = append(terms, t)
		}
	}
}

// next reads a term; the word "and" is one without a key.
func (r *termReader) next() (t term, err error) {
	begin := r.rest
	t.key = r.until(blanks + "=>")
	after := r.rest
	r.skip(" \t\n\r")
	switch {
	case strings.HasPrefix(r.rest, "="), t.key == "older" && strings.HasPrefix(r.rest, ">"):
		r.rest = r.rest[1:]
	case t.key == "older" && r.word("than"):
	case t.key == "and":
		r.rest = after
		return term{}, nil
	default:
		if t.key == "" {
			t.key = r.until(blanks)
		}
		return t, notATerm(t.key)
	}
	r.skip(" \t\n\r")
	if t.value, t.quoted, err = r.value(); err == nil && (t.value == "" || t.key == "") {
		err = notATerm(strings.TrimSpace(strings.TrimSuffix(begin, r.rest)))
	}
	return t, err
}

func notATerm(text string) error {
	return fmt.Errorf("%q is no term: write "+whereTermsText, text)
}

// value reads a value, with or without quotes.
func (r *termReader) value() (value string, quoted bool, err error) {
	if r.rest == "" || !strings.ContainsAny(r.rest[:1], `'"`) {
		return r.until(blanks), false, nil
	}
	quote, begin := r.rest[:1], r.rest
	r.rest = r.rest[1:]
	for {
		part, after, closed := strings.Cut(r.rest, quote)
		if !closed {
			return "", true, fmt.Errorf("%s has no second %s at its end", begin, quote)
		}
		value, r.rest = value+part, after
		if !strings.HasPrefix(after, quote) {
			break
		}
		value, r.rest = value+quote, after[1:]
	}
	if r.rest != "" && !strings.ContainsAny(r.rest[:1], blanks) {
		return "", true, fmt.Errorf("a blank or a comma is missing behind %s", strings.TrimSuffix(begin, r.rest))
	}
	return value, true, nil
}

// word reads a word, if it stands there with a blank behind it.
func (r *termReader) word(w string) bool {
	rest, ok := strings.CutPrefix(r.rest, w)
	if ok = ok && rest != "" && strings.ContainsAny(rest[:1], " \t\n\r"); ok {
		r.rest = rest
	}
	return ok
}

func (r *termReader) skip(set string) { r.rest = strings.TrimLeft(r.rest, set) }

// until reads up to the first byte of a set.
func (r *termReader) until(set string) string {
	end := strings.IndexAny(r.rest, set)
	if end < 0 {
		end = len(r.rest)
	}
	text := r.rest[:end]
	r.rest = r.rest[end:]
	return text
}
