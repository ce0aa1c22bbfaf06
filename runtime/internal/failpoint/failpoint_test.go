package failpoint

import (
	"os"
	"regexp"
	"testing"
)

// TestSites holds the list against the constants: a site that is not in it
// would never be tried.
func TestSites(t *testing.T) {
	text, err := os.ReadFile("sites.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^\t\w+ +Site = "([a-z-]+)"`).FindAllSubmatch(text, -1)
	listed := map[Site]bool{}
	for _, s := range Sites() {
		if listed[s] {
			t.Errorf("site %q is listed twice", s)
		}
		listed[s] = true
	}
	for _, d := range declared {
		if !listed[Site(d[1])] {
			t.Errorf("site %q is not listed", d[1])
		}
	}
	if len(listed) != len(declared) {
		t.Errorf("%d sites are listed, %d are declared", len(listed), len(declared))
	}
}
