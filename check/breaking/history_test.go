package breaking_test

import (
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/lang"
)

// TestHistory compares each version of the examples in git's history with the one before it.
// Each version is the same as itself, and no pair but two is undecided: OrderFulfillment was twice
// changed late in its runs only, behind more pairs of configurations than are explored (60,000
// are not enough).
func TestHistory(t *testing.T) {
	git := func(args ...string) string {
		out, err := exec.Command("git", append([]string{"-C", "../.."}, args...)...).Output()
		if err != nil {
			t.Skipf("there is no history: git %s: %v", strings.Join(args, " "), err)
		}
		return string(out)
	}
	if strings.TrimSpace(git("rev-parse", "--is-shallow-repository")) == "true" {
		t.Skip("the clone is shallow: there is no history")
	}
	pairs, points, undecided := 0, 0, 0
	for file := range strings.FieldsSeq(git("ls-files", "examples/*/*.fsm")) {
		if strings.HasSuffix(file, "_test.fsm") {
			continue
		}
		var newer *lang.Unit
		for commit := range strings.FieldsSeq(git("log", "--format=%H", "--", file)) {
			text := exec.Command("git", "-C", "../..", "show", commit+":"+file)
			src, err := text.Output()
			if err != nil {
				break // it was called otherwise before
			}
			unit := lang.Load([]lang.Source{{Name: path.Base(file), Src: src}})
			if unit.Diags.HasErrors() {
				continue // it imports others, or the language was another
			}
			if own := compare(unit.Program, unit.Program); len(own.Points) > 0 || own.Same != own.Paired {
				t.Errorf("%s at %s differs from itself: %v", file, commit, own.Points)
			}
			if newer != nil {
				pairs++
				out := compare(unit.Program, newer.Program)
				points += len(out.Points)
				for _, p := range out.Points {
					if p.Rule.Name == "behaviour-undecided" {
						t.Logf("%s after %s: %s", file, commit, p.Message)
						undecided++
					}
				}
			}
			newer = unit
		}
	}
	t.Logf("%d pairs, %d points, %d undecided", pairs, points, undecided)
	if pairs == 0 || undecided > 2 {
		t.Errorf("%d pairs were compared, of which %d are undecided", pairs, undecided)
	}
}
