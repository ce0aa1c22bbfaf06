package fsmc_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "github.com/fsmc-dev/fsmc/internal/seldom"
)

// TestOwnMachines holds that the checker has nothing to say of this project as a whole.
func TestOwnMachines(t *testing.T) {
	out, err := exec.Command(buildFsmc(t), "check", "--strict", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "OrderFulfillment: ") {
		t.Errorf("the examples are not looked at:\n%s", out)
	}
}

// TestScenariosOfExamples holds that the scenarios of the examples pass, and take every arm of every machine.
// What a require turns away is left out: the checker proves that no run comes there.
func TestScenariosOfExamples(t *testing.T) {
	files, err := filepath.Glob("examples/*/*_test.fsm")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d files with scenarios: %v", len(files), err)
	}
	for _, file := range files {
		out, err := exec.Command(buildFsmc(t), "test", "--cover", "--format", "json", file).Output()
		if err != nil {
			t.Errorf("%s: %v\n%s", file, err, out)
			continue
		}
		var said struct {
			Cover []struct {
				Machine string
				Missed  []struct{ Place, What string }
			}
		}
		if err := json.Unmarshal(out, &said); err != nil {
			t.Fatalf("%s: %v\n%s", file, err, out)
		}
		covered := map[string]bool{}
		for _, c := range said.Cover {
			covered[c.Machine] = true
			for _, m := range c.Missed {
				if !strings.HasPrefix(m.What, "else of require") {
					t.Errorf("%s: no scenario takes: %s", m.Place, m.What)
				}
			}
		}
		source, err := os.ReadFile(strings.TrimSuffix(file, "_test.fsm") + ".fsm")
		must(t, err)
		for _, m := range regexp.MustCompile(`(?m)^machine (\w+)`).FindAllStringSubmatch(string(source), -1) {
			if !covered[m[1]] {
				t.Errorf("%s: no scenario is of %s", file, m[1])
			}
		}
	}
}
