package browser

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestLongHistory: the page of a run of 5,000 steps is as large as that of one of 300, and its time
// and its history can be gone through.
func TestLongHistory(t *testing.T) {
	w := newWorld(t, []string{"doc-1"})
	comment := func(n int) {
		t.Helper()
		for i := range n {
			body := fmt.Sprintf(`{"event": "Comment", "data": {"text": "comment %05d"}}`, i)
			answer, err := http.Post(w.url+"api/v1/runs/doc-1/events", "application/json", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(answer.Body) // so that the connection serves the next
			if answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK {
				t.Fatalf("%d %s %v", answer.StatusCode, text, err)
			}
		}
	}
	weight := func() int {
		t.Helper()
		answer, err := http.Get(w.url + "runs/doc-1")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return len(text)
	}
	comment(298)
	short := weight()
	comment(4700)
	long := weight()
	t.Logf("the page has %d bytes after 300 steps, and %d after 5,000", short, long)
	if long > short*105/100 {
		t.Errorf("a page of %d bytes has grown to %d", short, long)
	}

	tb := w.open("runs/doc-1")
	tb.until(live)
	if got := eval[string](tb, `document.querySelector("#history tbody tr td").innerText + " of " + document.querySelectorAll("#history tbody tr").length`); got != "5000 of 15" {
		t.Errorf("the page shows %s steps", got)
	}
	tb.do(chromedp.Click("#history > p a"))
	tb.until(`document.querySelector("#s4985") && document.querySelector("#s4786") && !document.querySelector("#s4986") && ` + live)
	tb.do(chromedp.Evaluate("window.loaded = 1", nil), chromedp.Focus("#at"), chromedp.KeyEvent(kb.Home))
	tb.until(`document.querySelector("#travel strong")?.innerText === "Step 1 of 5000" && document.querySelector("#state-Checking.current")`)
	tb.do(chromedp.Evaluate(`{const at = document.querySelector("#at"); at.value = 2500; at.dispatchEvent(new Event("input", {bubbles: true})); at.dispatchEvent(new Event("change", {bubbles: true}))}`, nil))
	tb.until(`document.querySelector("#travel strong")?.innerText === "Step 2500 of 5000" && document.querySelector("#data pre").innerText.includes("comment 02199") && document.querySelector("#s2500[aria-current]")`)
	if eval[int](tb, "window.loaded || 0") != 1 {
		t.Error("the page was loaded again")
	}
	tb.shot("long")
	tb.do(chromedp.KeyEvent("["))
	tb.until(`document.querySelector("#travel strong")?.innerText === "Step 2499 of 5000"`)
	tb.quiet()
}
