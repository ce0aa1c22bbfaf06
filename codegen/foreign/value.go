package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind is the kind of a Value.
type Kind int

const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// Value is a value of JSON with its place. Its methods may be called on nil, which is
// what is absent.
type Value struct {
	Kind         Kind
	Line, Column int
	Text         string // of a string; of a number as written; of a bool "true" or "false"
	Items        []*Value
	Members      []Member // in the order of the text
}

// Member is a key of an object.
type Member struct {
	Key   string
	Value *Value
}

// Get is the member called key, the last one where there are several, or nil.
func (v *Value) Get(key string) *Value {
	if v == nil {
		return nil
	}
	for i := len(v.Members) - 1; i >= 0; i-- {
		if v.Members[i].Key == key {
			return v.Members[i].Value
		}
	}
	return nil
}

// Others are the keys of an object that are none of those that are known.
func (v *Value) Others(known ...string) []string {
	var out []string
	if v.Is(Object) {
		for _, m := range v.Members {
			if !slices.Contains(known, m.Key) {
				out = append(out, m.Key)
			}
		}
	}
	return out
}

// Is reports whether v is there and of a kind.
func (v *Value) Is(k Kind) bool { return v != nil && v.Kind == k }

// Str is the text of a string, and empty for all else.
func (v *Value) Str() string {
	if v.Is(String) {
		return v.Text
	}
	return ""
}

// True reports whether v is true.
func (v *Value) True() bool { return v.Is(Bool) && v.Text == "true" }

// List is the items of an array; of what is there and no array, that alone.
func (v *Value) List() []*Value {
	switch {
	case v == nil || v.Kind == Null:
		return nil
	case v.Kind == Array:
		return v.Items
	}
	return []*Value{v}
}

// Float is a number, or what is meant where there is none.
func (v *Value) Float(otherwise float64) float64 {
	if v.Is(Number) {
		if f, err := strconv.ParseFloat(v.Text, 64); err == nil {
			return f
		}
	}
	return otherwise
}

// Read reads JSON, or YAML where the text does not begin as JSON does.
func Read(text []byte) (*Value, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	switch begin := bytes.TrimLeft(text, " \t\r\n"); {
	case len(text) > MaxBytes:
		return nil, &Error{Message: "the text is longer than 16 MiB"}
	case !utf8.Valid(text):
		return nil, &Error{Message: "the text is not valid UTF-8"}
	case len(begin) == 0:
		return nil, &Error{Message: "the text is empty"}
	case begin[0] == '{' || begin[0] == '[':
		return readJSON(text)
	}
	return ReadYAML(text)
}

func readJSON(text []byte) (*Value, error) {
	r := &jsonReader{text: text, dec: json.NewDecoder(bytes.NewReader(text)), line: 1}
	r.dec.UseNumber()
	v, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := r.dec.Token(); err != io.EOF {
		return nil, r.errorf("there is more text after the value")
	}
	return v, nil
}

type jsonReader struct {
	text   []byte
	dec    *json.Decoder
	at     int // up to here lines are counted
	line   int
	start  int // where the line begins
	values int
}

// place moves on to an offset, and is its line and column.
func (r *jsonReader) place(offset int) (line, column int) {
	for offset = min(offset, len(r.text)); r.at < offset; r.at++ {
		if r.text[r.at] == '\n' {
			r.line, r.start = r.line+1, r.at+1
		}
	}
	return r.line, max(1, offset-r.start)
}

func (r *jsonReader) errorf(message string) error {
	line, column := r.place(int(r.dec.InputOffset()))
	return &Error{Line: line, Column: column, Message: message}
}

func (r *jsonReader) token() (json.Token, error) {
	t, err := r.dec.Token()
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		line, column := r.place(int(syntax.Offset))
		return nil, &Error{Line: line, Column: column, Message: "this is not JSON: " + syntax.Error()}
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		r.place(len(r.text))
		return nil, r.errorf("the text ends in the middle of a value")
	case err != nil:
		return nil, r.errorf("this is not JSON: " + err.Error())
	}
	return t, nil
}

func (r *jsonReader) value(depth int) (*Value, error) {
	t, err := r.token()
	if err != nil {
		return nil, err
	}
	v := &Value{}
	v.Line, v.Column = r.place(int(r.dec.InputOffset()))
	if r.values++; depth > MaxDepth || r.values > MaxValues {
		return nil, v.Errorf("more than %d levels of values, or more than %d values", MaxDepth, MaxValues)
	}
	switch t := t.(type) {
	case nil:
	case bool:
		v.Kind, v.Text = Bool, strconv.FormatBool(t)
	case json.Number:
		v.Kind, v.Text = Number, t.String()
	case string:
		v.Kind, v.Text = String, t
	case json.Delim:
		if t == '[' {
			return v, r.array(v, depth)
		}
		return v, r.object(v, depth)
	}
	return v, nil
}

func (r *jsonReader) array(v *Value, depth int) error {
	v.Kind = Array
	for r.dec.More() {
		item, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		v.Items = append(v.Items, item)
	}
	_, err := r.token()
	return err
}

func (r *jsonReader) object(v *Value, depth int) error {
	v.Kind = Object
	for r.dec.More() {
		key, err := r.token()
		if err != nil {
			return err
		}
		name, ok := key.(string)
		if !ok {
			return r.errorf("a key is a string")
		}
		item, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		v.Members = append(v.Members, Member{strings.ToValidUTF8(name, "?"), item})
	}
	_, err := r.token()
	return err
}
