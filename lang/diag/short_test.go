package diag

import (
	"strings"
	"testing"
)

func TestLongValuesInShort(t *testing.T) {
	record := map[string]any{"file": "", "id": "a<b"}
	five := []any{record, record, record, record, record}
	long := strings.Repeat("ä", 1001)
	for _, tt := range []struct {
		name string
		v    any
		want string
	}{
		{"a short list", []any{1, 2, 3, 4, 5}, `[1,2,3,4,5]`},
		{"a string just long enough", strings.Repeat("x", 118), `"` + strings.Repeat("x", 118) + `"`},
		{"a long string", long, `"ääääääääääääääääääää"… (1001 characters)`},
		{"a long list", append(five, five...), `[{"file":"","id":"a<b"}, {"file":"","id":"a<b"}, {"file":"","id":"a<b"}, … 7 more]`},
		{"a list with one more than are shown", []any{long, 1, 1, 12345678901234567}, `["ääääääääääääääääääää"… (1001 characters), 1, 1, 12345678901234567]`},
		{"a string in a record", map[string]any{"id": long, "n": 1.5, "no": nil}, `{"id":"ääääääääääääääääääää"… (1001 characters),"n":1.5,"no":null}`},
		{"quotes", strings.Repeat(`"`, 200), `"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\""… (200 characters)`},
	} {
		if got := shortText(fullText(tt.v)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
