package browser

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// live is true when a page follows the feed.
const live = `document.querySelector("#live[data-state=live]")`

// TestSend sends an event by its form, with scripts and without, and sees the state lit.
func TestSend(t *testing.T) {
	w := newWorld(t, []string{"doc-1", "doc-2"})
	for id, scripts := range map[string]bool{"doc-1": true, "doc-2": false} {
		tb := w.open("runs/"+id, emulation.SetScriptExecutionDisabled(!scripts))
		form := "#send-Approve "
		tb.do(chromedp.SetValue(form+"[name='f.note']", "fine"), chromedp.SetValue(form+"[name='f.level']", "4"), chromedp.SetValue(form+"[name='f.urgent']", "true"))
		begun := time.Now()
		tb.do(chromedp.Click(form + "button.primary"))
		tb.until(`document.querySelector("#state-Publishing.current")`)
		t.Logf("%s, scripts %t: %v from the click to the lit state", id, scripts, time.Since(begun).Round(time.Millisecond))
		tb.until(`document.querySelector("#s3 td:last-child")`) // it is read behind the drawing
		if got := eval[string](tb, `document.querySelector("#s3 td:last-child").innerText`); !strings.Contains(got, "fine") || !strings.Contains(got, "sent by serve:") {
			t.Errorf("history says %q", got)
		}
		tb.quiet()
	}
}

// TestTime: the slider shows the run as it was while it is moved; without scripts, with a button.
func TestTime(t *testing.T) {
	w := newWorld(t, []string{"doc-1"})
	tb := w.open("runs/doc-1")
	tb.do(chromedp.Evaluate("window.loaded = 1", nil), chromedp.Focus("#at"), chromedp.KeyEvent(kb.ArrowLeft))
	tb.until(`document.querySelector("#state-Checking.current") && document.querySelector("#time output").innerText === "1 of 2"`)
	tb.until(`document.querySelector("#travel strong").innerText === "Step 1 of 2" && !document.querySelector("#events") && !document.querySelector("#commands button")`)
	tb.do(chromedp.KeyEvent(kb.ArrowRight))
	tb.until(`document.querySelector("#state-Waiting.current")`)
	if eval[int](tb, "window.loaded") != 1 || !strings.HasSuffix(eval[string](tb, "location.href"), "/runs/doc-1?at=2") {
		t.Errorf("the page was loaded again, or stands at %s", eval[string](tb, "location.href"))
	}
	tb.quiet()

	plain := w.open("runs/doc-1", emulation.SetScriptExecutionDisabled(true))
	plain.do(chromedp.SetAttributeValue("#at", "value", "1"), chromedp.Click("#time button"))
	plain.until(`document.querySelector("#travel strong")?.innerText === "Step 1 of 2"`)
	plain.quiet()
}

// TestRefused keeps what was typed.
func TestRefused(t *testing.T) {
	w := newWorld(t, []string{"doc-1"})
	tb := w.open("runs/doc-1")
	tb.do(chromedp.SetValue("#send-Approve [name='f.note']", "</script><b>x"), chromedp.SetValue("#send-Approve [name='f.level']", "9"),
		chromedp.Click("#send-Approve button.primary"))
	tb.until(`document.querySelector("#send-Approve [aria-invalid=true]")`)
	if got := eval[string](tb, `document.querySelector("#send-Approve [name='f.note']").value`); got != "</script><b>x" {
		t.Errorf("the note is now %q", got)
	}
}

// TestFollow: a page shows what others do, in two tabs, without being loaded again, and leaves alone what is typed.
func TestFollow(t *testing.T) {
	w := newWorld(t, []string{"doc-1"})
	one, two, all := w.open("runs/doc-1"), w.open("runs/doc-1"), w.open("runs")
	for _, tb := range []*tab{one, two, all} {
		tb.do(chromedp.Evaluate("window.loaded = 1", nil))
	}
	one.do(chromedp.SetValue("#send-Reject [name='f.why']", "half a sen"))
	for _, tb := range []*tab{one, two, all} {
		tb.until(live)
	}
	w.fsmc("send", "doc-1", "Comment", "--data", `{"text": "from elsewhere"}`)
	one.until(`document.querySelector("#s3")`)
	if got := eval[string](one, `document.querySelector("#send-Reject [name='f.why']").value`); got != "half a sen" {
		t.Errorf("what was typed is now %q", got)
	}
	two.until(`document.querySelector("#data pre").innerText.includes("from elsewhere")`)
	w.fsmc("send", "doc-1", "Reject", "--data", `{"why": "no"}`)
	two.until(`document.querySelector("#state-Rejected.current") && document.querySelector("#arrow-Waiting-Rejected.taken")`)
	all.until(`document.querySelector("#runs .status.failure")`)
	for _, tb := range []*tab{one, two, all} {
		if eval[int](tb, "window.loaded || 0") != 1 {
			t.Error("the page was loaded again")
		}
		tb.quiet()
	}
}

// TestRestart: a page goes on when the server is there again.
func TestRestart(t *testing.T) {
	w := newWorld(t, []string{"doc-1"})
	tb := w.open("runs/doc-1")
	tb.until(live)
	w.stop()
	tb.until(`document.querySelector("#live[data-state=away]")`)
	w.fsmc("send", "doc-1", "Comment", "--data", `{"text": "while it was away"}`)
	at, err := url.Parse(w.url)
	if err != nil {
		t.Fatal(err)
	}
	w.serve(at.Host)
	tb.until(live)
	tb.until(`document.querySelector("#data pre").innerText.includes("while it was away")`)
}

// TestBack: a page that the browser has kept, and goes back to, follows again what happens.
func TestBack(t *testing.T) {
	w := newWorld(t, []string{"doc-1"})
	tb := w.open("runs/doc-1")
	tb.until(live)
	tb.do(chromedp.Evaluate(`for (let i = 0; i < 99; i++) clearInterval(i); // which looks again each 20 s, whatever happens
		window.dispatchEvent(new PageTransitionEvent("pagehide", {persisted: true}))
		window.dispatchEvent(new PageTransitionEvent("pageshow", {persisted: true}))`, nil))
	w.fsmc("send", "doc-1", "Comment", "--data", `{"text": "meanwhile"}`)
	tb.until(`document.querySelector("#data pre").innerText.includes("meanwhile")`)
	tb.quiet()
}

// TestCancel asks for a reason, without which nothing happens.
func TestCancel(t *testing.T) {
	w := newWorld(t, []string{"doc-1"})
	tb := w.open("runs/doc-1")
	tb.do(chromedp.Click("#ask-cancel summary"), chromedp.WaitVisible("#reason-cancel"), chromedp.Click("#ask-cancel button"))
	if !eval[bool](tb, `document.querySelector("#reason-cancel:invalid") !== null`) {
		t.Error("a reason is not asked for")
	}
	tb.do(chromedp.SendKeys("#reason-cancel", "superseded"), chromedp.Click("#ask-cancel button"))
	tb.until(`document.querySelector("h1 .status.cancelled") && document.querySelector("#history").innerText.includes("superseded")`)
	tb.quiet()
}

// TestBulk pauses the runs that are ticked, after a page that says which.
func TestBulk(t *testing.T) {
	w := newWorld(t, []string{"doc-1", "doc-2", "doc-3"})
	tb := w.open("runs")
	if !eval[bool](tb, `document.querySelector(".bulk button").disabled`) {
		t.Error("a command can be chosen for no run")
	}
	tb.do(chromedp.Click("input[value=doc-1]"), chromedp.Click("input[value=doc-3]"), chromedp.Click(".bulk button[value=pause]"))
	tb.until(`document.body.innerText.includes("2 runs are meant")`)
	tb.shot("bulk-1400-light")
	tb.do(chromedp.Click("#confirm button"))
	tb.until(`document.body.innerText.includes("2 runs have taken it")`)
	if got := w.fsmc("list", "--status", "paused"); !strings.Contains(got, "doc-1") || !strings.Contains(got, "doc-3") || strings.Contains(got, "doc-2") {
		t.Errorf("paused are\n%s", got)
	}
	tb.quiet()
}

// TestCountdown: a timer that is near counts down, while nothing happens to its run.
func TestCountdown(t *testing.T) {
	w := newWorld(t, []string{"doc-1"})
	w.write("soon.fsm", "machine Soon {\n    event Go\n    initial Waiting\n    state Waiting {\n        on Go -> Done\n        after 50s -> Done\n    }\n    terminal Done\n}\n", 0o644)
	w.fsmc("run", "--detach", "--id", "soon-1", "soon.fsm")
	tb := w.open("runs/soon-1")
	tb.until(live)
	tb.do(chromedp.Evaluate(`window.before = document.querySelector("#timers time").innerText`, nil))
	tb.until(`document.querySelector("#timers time").innerText !== window.before`)
	tb.quiet()
}

// TestKeys: time travel, the filter and the pages by keys.
func TestKeys(t *testing.T) {
	w := newWorld(t, []string{"doc-1", "doc-2"})
	tb := w.open("runs/doc-1")
	tb.until(live)
	tb.do(chromedp.KeyEvent("["))
	tb.until(`document.querySelector("#travel") && document.querySelector("#state-Checking.current") && document.querySelector(".canvas[data-ready]")`)
	tb.do(chromedp.KeyEvent("]"))
	tb.until(`document.querySelector("#state-Waiting.current") && document.querySelector(".canvas[data-ready]")`)
	tb.do(chromedp.KeyEvent("g"), chromedp.KeyEvent("r"))
	tb.until(`location.pathname === "/runs" && ` + live) // before that no script listens
	tb.do(chromedp.KeyEvent("j"), chromedp.KeyEvent("j"), chromedp.KeyEvent("\r"))
	tb.until(`location.pathname === "/runs/doc-1" && ` + live)
	for _, way := range [][2]string{{"o", "/"}, {"p", "/problems"}, {"r", "/runs"}} {
		tb.do(chromedp.KeyEvent("g"), chromedp.KeyEvent(way[0]))
		tb.until(`location.pathname === "` + way[1] + `" && ` + live)
	}
	tb.do(chromedp.KeyEvent("j"), chromedp.KeyEvent("j"), chromedp.KeyEvent("k"), chromedp.KeyEvent("\r"))
	tb.until(`location.pathname === "/runs/doc-2" && ` + live)
	tb.do(chromedp.NavigateBack())
	tb.until(`location.pathname === "/runs" && ` + live)
	tb.do(chromedp.KeyEvent("/"))
	tb.until(`document.activeElement.id === "where"`)
	tb.do(chromedp.SetValue("#where", "status=halted"), chromedp.Click(".find button"))
	tb.until(`document.body.innerText.includes("No runs match") && ` + live)
	tb.do(chromedp.KeyEvent("?"))
	tb.until(`document.querySelector("#help[open]")`)
	tb.do(chromedp.KeyEvent(kb.Escape))
	tb.until(`!document.querySelector("#help[open]")`)
	tb.quiet()
}

// TestSimulate goes a way by clicks, and back: by the slider, and by a link.
func TestSimulate(t *testing.T) {
	w := newWorld(t, []string{"doc-1"})
	tb := w.open("runs/doc-1/simulate", emulation.SetDeviceMetricsOverride(1400, 960, 1, false))
	tb.do(chromedp.SetValue("[id='choice1-level']", "3"), chromedp.SetValue("[id='choice1-urgent']", "false"), chromedp.SetValue("[id='choice1-note']", "what if"), chromedp.Click(".choice button[value='1']"))
	tb.until(`document.querySelector("#state-Publishing.current")`)
	tb.shot("simulate-slider")
	tb.do(chromedp.Evaluate("window.loaded = 1", nil), chromedp.Focus("#at"), chromedp.KeyEvent(kb.ArrowLeft))
	tb.until(`document.querySelector("#state-Waiting.current") && document.querySelector("#time output").innerText === "0 of 1"`)
	tb.do(chromedp.KeyEvent(kb.ArrowRight))
	tb.until(`document.querySelector("#state-Publishing.current")`)
	if eval[int](tb, "window.loaded || 0") != 1 {
		t.Error("the page was loaded again")
	}
	tb.do(chromedp.Evaluate(`[...document.querySelectorAll("#side a")].find(a => a.textContent === "before").click()`, nil))
	tb.until(`document.querySelector("#state-Waiting.current")`)
	tb.quiet()
}
