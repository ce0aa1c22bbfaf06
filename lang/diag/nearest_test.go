package diag

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"FetchingDiff", "Analyzing", "PostingComments", "Idle", "Failed", "fetch_diff", "Done", "x", "y"}
	for _, tc := range []struct {
		word, want string
	}{
		{"Analysing", "Analyzing"},
		{"Analyzign", "Analyzing"},
		{"idle", "Idle"},
		{"Falied", "Failed"},
		{"PostingComment", "PostingComments"},
		{"FETCH_DIFF", "fetch_diff"},
		{"fetchDiff", "fetch_diff"},
		{"Dnoe", "Done"},
		{"Don", "Done"},
		{"z", ""},
		{"Completed", ""},
		{"", ""},
		{"Idle", ""}, // a name is no correction of itself
	} {
		got, ok := Nearest(tc.word, names)
		if got != tc.want || ok != (tc.want != "") {
			t.Errorf("Nearest(%q) = %q, %v; want %q", tc.word, got, ok, tc.want)
		}
	}
}

func TestNearestDoesNotDependOnOrder(t *testing.T) {
	for _, of := range [][]string{{"bat", "cat", "hat"}, {"hat", "cat", "bat"}} {
		if got, _ := Nearest("rat", of); got != "bat" {
			t.Errorf("Nearest(%q, %q) = %q, want %q", "rat", of, got, "bat")
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"kitten", "sitting", 3},
		{"ab", "ba", 1},
		{"ca", "abc", 3}, // restricted: the unrestricted distance is 2
		{"Analyzing", "Analyzing", 0},
	} {
		if got := editDistance(tc.a, tc.b); got != tc.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}
