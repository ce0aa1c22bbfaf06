// Package browser opens the pages of fsmc serve in a real browser.
//
// It needs Chromium, and says so where there is none. For axe-core, which looks for faults of
// accessibility, it asks npm. With FSMC_SHOTS=DIR it leaves a picture of each page there, to be looked at.
package browser

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var (
	fsmc  string          // the binary
	chrom context.Context // the browser
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		fmt.Println("THE PAGES WERE NOT TESTED IN A BROWSER: there is no chromium")
		return 0
	}
	dir, err := os.MkdirTemp("", "fsmc-browser")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(dir)
	fsmc = filepath.Join(dir, "fsmc")
	build := exec.Command("go", "build", "-o", fsmc, "./cmd/fsmc")
	build.Dir = "../../../../.."
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Printf("%s%v\n", out, err)
		return 1
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(filepath.Join(dir, "profile")))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	var leave context.CancelFunc
	chrom, leave = chromedp.NewContext(allocator)
	defer leave()
	if err := chromedp.Run(chrom); err != nil {
		fmt.Println("chromium does not start:", err)
		return 1
	}
	return m.Run()
}

const machine = `// Publishes a document when a person has approved it.
machine Approval(title string) {
    context { note string = "" }
    // Says yes, and how loud.
    event Approve { note string, level int 1..5, urgent bool }
    event Reject { why string }
    event Comment { text string }
    event Checked { score int }
    activity check_it(title string) -> Checked
    activity publish_it(title string)
    initial Checking
    after 7d -> Expired
    state Checking {
        do check_it(title) timeout 30s
        on Checked when event.score > 3 -> Waiting
                   else -> Rejected
        on failed retry 1 backoff 100ms..1s else -> Failed
    }
    state Waiting {
        on Approve -> Publishing { note = event.note }
        on Reject -> Rejected { note = event.why }
        on Comment { note = event.text }
        after 2d -> Rejected
    }
    state Publishing {
        do publish_it(title) timeout 1m
        on done -> Published
        on failed retry 2 backoff 1s..2s else -> Failed
    }
    terminal Published returns note
    terminal Rejected failure
    terminal Expired failure
    terminal Failed failure
}
`

// world is a database with runs, and a server of its pages.
type world struct {
	t      *testing.T
	dir    string
	flags  []string
	server *exec.Cmd
	url    string
}

// newWorld makes a database with a run in Waiting for each of some ids, and serves it.
func newWorld(t *testing.T, ids []string, flags ...string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), flags: flags}
	w.write("approval.fsm", machine, 0o644)
	w.write("act/check_it", "#!/bin/sh\ncase $(cat) in *flaky*) echo 'the service is away' >&2; exit 1;; esac\necho '{\"event\":\"Checked\",\"data\":{\"score\":5}}'\n", 0o755)
	w.write("act/publish_it", "#!/bin/sh\necho '{}'\n", 0o755)
	for _, id := range ids {
		w.fsmc("run", "-q", "--activities", "act", "--id", id, "--param", "title="+id, "approval.fsm")
	}
	w.serve("127.0.0.1:0")
	return w
}

func (w *world) write(name, text string, mode os.FileMode) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		w.t.Fatal(err)
	}
}

// fsmc runs a command on the database. A run that has not ended or has failed is no fault.
func (w *world) fsmc(name string, args ...string) string {
	w.t.Helper()
	c := exec.Command(fsmc, append([]string{name, "--db", "runs.db"}, args...)...)
	c.Dir = w.dir
	out, err := c.CombinedOutput()
	if err != nil && c.ProcessState.ExitCode() != 1 && c.ProcessState.ExitCode() != 3 {
		w.t.Fatalf("fsmc %s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// serve starts the server, and waits for its address.
func (w *world) serve(addr string) {
	w.t.Helper()
	w.server = exec.Command(fsmc, append([]string{"serve", "--db", "runs.db", "--addr", addr}, w.flags...)...)
	w.server.Dir, w.server.Stderr = w.dir, os.Stderr
	out, err := w.server.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.server.Start(); err != nil {
		w.t.Fatal(err)
	}
	stop := w.stop
	w.t.Cleanup(stop)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		w.t.Fatalf("the server does not say where it listens: %v", err)
	}
	w.url = strings.TrimSpace(line)
}

// stop ends the server as an operator does.
func (w *world) stop() {
	if w.server == nil {
		return
	}
	_ = w.server.Process.Signal(syscall.SIGTERM) // it may have ended
	_ = w.server.Wait()
	w.server = nil
}

// tab is a page in the browser.
type tab struct {
	*world
	ctx context.Context

	mu   sync.Mutex
	said []string // on the console
}

// patience is how long the browser may take for anything.
const patience = 20 * time.Second

// open opens a page in a tab of its own. What its console says at the end is a fault.
func (w *world) open(path string, before ...chromedp.Action) *tab {
	w.t.Helper()
	tb := &tab{world: w}
	ctx, close := chromedp.NewContext(chrom)
	w.t.Cleanup(close)
	tb.ctx = ctx
	chromedp.ListenTarget(ctx, func(event any) {
		tb.mu.Lock()
		defer tb.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			tb.said = append(tb.said, fmt.Sprintf("%s %s", e.Type, e.Args[0].Value))
		case *runtime.EventExceptionThrown:
			tb.said = append(tb.said, e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			tb.said = append(tb.said, e.Entry.Text+" "+e.Entry.URL)
		}
	})
	if err := chromedp.Run(ctx); err != nil { // with no limit: the tab lives as long as the first call may
		w.t.Fatal(err)
	}
	before = append(before, emulation.SetFocusEmulationEnabled(true)) // all tabs are in front
	tb.do(append(before, chromedp.Navigate(w.url+path), chromedp.WaitReady("#main"))...)
	return tb
}

// quiet fails if the console has said something.
func (tb *tab) quiet() {
	tb.t.Helper()
	tb.mu.Lock()
	defer tb.mu.Unlock()
	for _, text := range tb.said {
		tb.t.Errorf("the console says: %s", text)
	}
}

func (tb *tab) do(actions ...chromedp.Action) {
	tb.t.Helper()
	ctx, cancel := context.WithTimeout(tb.ctx, patience)
	defer cancel()
	if err := chromedp.Run(ctx, actions...); err != nil {
		tb.t.Fatalf("the browser: %v", err)
	}
}

// eval is what an expression gives.
func eval[T any](tb *tab, expression string) (value T) {
	tb.t.Helper()
	tb.do(chromedp.Evaluate(expression, &value))
	return value
}

// until waits until an expression is true, whatever page then is open.
func (tb *tab) until(expression string) {
	tb.t.Helper()
	end := time.Now().Add(patience)
	for {
		var ok bool
		err := chromedp.Run(tb.ctx, chromedp.Evaluate("!!("+expression+")", &ok))
		if ok {
			return
		}
		if time.Now().After(end) { // while a page loads there is none to ask
			tb.t.Fatalf("it does not become true: %s (%v)\n%s", expression, err, eval[string](tb, "document.body.innerText"))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// awaited makes an evaluation wait for a promise.
func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
