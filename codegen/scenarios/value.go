package scenarios

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// written are the values of slots as the language writes them, `n = 3`, and their object. data
// has those that matter, by the names of leaves; the rest is the least that its type allows.
func written(list []*ir.Field, data map[string]any) ([]string, json.RawMessage, error) {
	var texts []string
	object := map[string]json.RawMessage{}
	for _, s := range list {
		if s.Optional && data[s.Name] == nil && !ir.AnyBelow(data, s.Name) {
			continue
		}
		text, v, err := value(s.Name, s.Type, data)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		texts = append(texts, s.Name+" = "+text)
		object[s.Name] = v
	}
	whole, err := json.Marshal(object)
	return texts, whole, err
}

// value is that of type t with a name in data.
func value(name string, t *ir.Type, data map[string]any) (string, json.RawMessage, error) {
	if t.Kind != ir.RecordKind {
		return scalar(t, data[name])
	}
	inner, _ := data[name].(map[string]any)
	if inner == nil {
		inner = map[string]any{}
		for k, v := range data {
			if rest, ok := strings.CutPrefix(k, name+"."); ok {
				inner[rest] = v
			}
		}
	}
	texts, object, err := written(t.Record.Fields, inner)
	return t.Record.Name + braces(texts), object, err
}

// scalar is a value of a type that is no record; the least where v is nil.
func scalar(t *ir.Type, v any) (text string, form json.RawMessage, err error) {
	if v == nil && t.Kind != ir.List {
		v = least(t)
	}
	switch t.Kind {
	case ir.List:
		return list(t, v)
	case ir.EnumKind:
		text = t.Enum.Name + "." + fmt.Sprint(v)
	case ir.Duration:
		text = strings.Replace(fmt.Sprint(v), "µs", "us", 1)
	case ir.Float:
		f, _ := v.(float64)
		if n, ok := v.(json.Number); ok {
			f, _ = n.Float64()
		}
		if math.IsInf(f, 0) || math.IsNaN(f) {
			return "", nil, fmt.Errorf("%v cannot be written", v)
		}
		text = strconv.FormatFloat(f, 'f', -1, 64)
		return text, json.RawMessage(text), nil
	}
	if form, err = json.Marshal(v); err != nil {
		return "", nil, err
	}
	switch {
	case text != "":
	case t.Kind == ir.String || t.Kind == ir.Time:
		text = strconv.Quote(fmt.Sprint(v))
	default:
		text = string(form)
	}
	return text, form, nil
}

// least is the least value of a type, in its JSON form.
func least(t *ir.Type) any {
	switch t.Kind {
	case ir.Bool:
		return false
	case ir.Int, ir.Duration:
		n := int64(0)
		if t.Range != nil {
			n = min(max(n, t.Range.Lo), t.Range.Hi)
		}
		if t.Kind == ir.Duration {
			return ir.FormatDuration(n)
		}
		return n
	case ir.Float:
		return 0.0
	case ir.Time:
		return "2026-01-01T00:00:00Z"
	case ir.EnumKind:
		return t.Enum.Values[0]
	case ir.JSON:
		return json.RawMessage("{}")
	}
	return ""
}

func list(t *ir.Type, v any) (string, json.RawMessage, error) {
	items, _ := v.([]any)
	if v == nil && t.Len != nil {
		items = make([]any, t.Len.Lo)
	}
	texts, forms := []string{}, []json.RawMessage{}
	for _, item := range items {
		text, form, err := value("x", t.Elem, map[string]any{"x": item})
		if err != nil {
			return "", nil, err
		}
		texts, forms = append(texts, text), append(forms, form)
	}
	out, err := json.Marshal(forms)
	return "[" + strings.Join(texts, ", ") + "]", out, err
}

// braces is a payload: ` { n = 3 }`, or nothing where it is empty.
func braces(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return " { " + strings.Join(texts, ", ") + " }"
}
