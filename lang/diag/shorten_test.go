package diag

import (
	"strings"
	"testing"
)

func TestAddShortens(t *testing.T) {
	long := strings.Repeat("é", 1000)
	blanks := strings.Repeat("z ", 100_000)
	for _, test := range []struct{ text, want string }{
		{`state "A" is declared twice`, `state "A" is declared twice`},
		{`state "` + long[:2*100] + `" is declared twice`, `state "` + long[:2*100] + `" is declared twice`},
		{`state "` + long + `" is declared twice`, `state "` + long[:2*59] + `…" is declared twice`},
		{`unexpected "` + long + `", expected "}"`, `unexpected "` + long[:2*59] + `…", expected "}"`},
		{blanks, blanks[:longestText] + "…"},
	} {
		var list List
		list.Add(Diagnostic{Message: test.text, Help: test.text, Related: []Related{{Message: test.text}}})
		for _, got := range []string{list[0].Message, list[0].Help, list[0].Related[0].Message} {
			if got != test.want {
				t.Errorf("%.40s: got\n%.300s\nwant\n%.300s", test.text, got, test.want)
			}
		}
	}
	if got := shorten(strings.Repeat(`"`, 50_000_000)); len(got) > longestText+len("…") {
		t.Errorf("of quotes %d bytes are left", len(got))
	}
}
