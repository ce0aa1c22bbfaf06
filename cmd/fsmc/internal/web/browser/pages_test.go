package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// pagesOf are the pages that are looked at, by the names of their pictures.
var pagesOf = []struct{ name, path string }{
	{"overview", ""},
	{"runs", "runs"},
	{"wrong", "runs?where=colour%3Dred"},
	{"machine", "machines/Approval"},
	{"run", "runs/doc-1"},
	{"failed", "runs/flaky-1"},
	{"travel", "runs/doc-1/at/1"},
	{"problems", "problems"},
	{"simulate", "machines/Approval/simulate?begin=1&f.title=A"},
	{"none", "runs/nobody"},
}

// axe is the text of axe-core, as npm gives it.
func axe(t *testing.T) string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		fmt.Println("AXE WAS NOT ASKED: there is no npm")
		return ""
	}
	dir := t.TempDir()
	pack := exec.Command(npm, "pack", "--silent", "axe-core@4.14.1")
	pack.Dir = dir
	if out, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("npm pack axe-core: %v\n%s", err, out)
	}
	untar := exec.Command("tar", "xzf", "axe-core-4.14.1.tgz", "package/axe.min.js")
	untar.Dir = dir
	if out, err := untar.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "package/axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// findings are those of axe-core on a page.
const findings = `axe.run(document, {rules: {"target-size": {enabled: true}}, resultTypes: ["violations"]}).then(r => JSON.stringify(r.violations.map(v =>
	v.id + ": " + v.help + " " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + " " + (n.any[0] ? n.any[0].message : "")).join(" | "))))`

// TestPages looks at each page, wide and narrow, light and dark, with and without scripts.
func TestPages(t *testing.T) {
	w := newWorld(t, []string{"doc-1", "doc-2", "flaky-1"}, "--stuck", "1s")
	code := axe(t)
	for _, page := range pagesOf {
		for _, scripts := range []bool{true, false} {
			tb := w.open(page.path, emulation.SetScriptExecutionDisabled(!scripts))
			for _, wide := range []int64{1400, 400, 320} {
				for _, scheme := range []string{"light", "dark"} {
					name := fmt.Sprintf("%s-%d-%s", page.name, wide, scheme)
					tb.do(emulation.SetDeviceMetricsOverride(wide, 1000, 1, false),
						emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
					if over := eval[int](tb, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over > 0 {
						t.Errorf("%s is %d px too wide", name, over)
					}
					if eval[int](tb, "document.querySelectorAll('h1').length") != 1 {
						t.Errorf("%s has not one heading", name)
					}
					if scripts {
						tb.shot(name)
					}
					if scripts && code != "" {
						tb.axe(name, code)
					}
				}
			}
			if page.name != "wrong" && page.name != "none" { // the browser itself says of these that they are no 200
				tb.quiet()
			}
			_ = chromedp.Cancel(tb.ctx) // the tab is done with
		}
	}
}

// axe holds a page to axe-core.
func (tb *tab) axe(name, code string) {
	tb.t.Helper()
	var out string
	tb.do(chromedp.Evaluate(code+";0", nil))
	tb.do(chromedp.Evaluate(findings, &out, awaited))
	var list []string
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		tb.t.Fatal(err)
	}
	if len(list) > 0 {
		tb.t.Errorf("%s: axe finds\n%s", name, strings.Join(list, "\n"))
	}
}

// shot keeps a picture of the page.
func (tb *tab) shot(name string) {
	dir := os.Getenv("FSMC_SHOTS")
	if dir == "" {
		return
	}
	var png []byte
	tb.do(chromedp.FullScreenshot(&png, 100))
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		tb.t.Fatal(err)
	}
}
