package fsmc_test

import (
	"os/exec"
	"regexp"
	"testing"
)

// TestRuntimeFitsReader: what go doc lists of package runtime fits a reader. A group of
// constants or variables is one line there.
func TestRuntimeFitsReader(t *testing.T) {
	out, err := exec.Command("go", "doc", "./runtime").Output()
	must(t, err)
	lines := regexp.MustCompile(`(?m)^ *(const|var|func|type) `).FindAll(out, -1)
	if len(lines) < 50 || len(lines) > 120 {
		t.Errorf("go doc ./runtime lists %d names: at most 120 fit a reader", len(lines))
	}
}
