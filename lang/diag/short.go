package diag

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A value whose JSON form is longer than longValue is shown in short: of a list the first items, of a
// string the first characters. The JSON form of a finding has all of it.
const (
	longValue  = 120
	shownItems = 3
	shownRunes = 20
)

// shortText is text, the JSON form of a value, or its short form where it is long.
//
//	[{"id":""}, {"id":""}, {"id":""}, … 497 more]
//	"xxxxxxxxxxxxxxxxxxxx"… (1001 characters)
func shortText(text string) string {
	if len(text) <= longValue {
		return text
	}
	in := json.NewDecoder(strings.NewReader(text))
	in.UseNumber()
	var v any
	if err := in.Decode(&v); err != nil {
		return text
	}
	var b strings.Builder
	writeShort(&b, v)
	return b.String()
}

func writeShort(b *strings.Builder, v any) {
	switch v := v.(type) {
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			if left := len(v) - i; i == shownItems && left > 1 {
				fmt.Fprintf(b, "… %d more", left)
				break
			}
			writeShort(b, item)
		}
		b.WriteByte(']')
	case map[string]any:
		b.WriteByte('{')
		for i, key := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(fullText(key) + ":")
			writeShort(b, v[key])
		}
		b.WriteByte('}')
	case string:
		runes := []rune(v)
		if len(runes) <= 2*shownRunes {
			b.WriteString(fullText(v))
			return
		}
		fmt.Fprintf(b, "%s… (%d characters)", fullText(string(runes[:shownRunes])), len(runes))
	default:
		b.WriteString(fullText(v))
	}
}
