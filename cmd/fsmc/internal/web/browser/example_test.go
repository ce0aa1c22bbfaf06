package browser

import (
	"bufio"
	"context"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestExample opens the page of the example's run, whose worker is killed, and sees it end. It takes
// the picture of the README.
func TestExample(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute) // it is built first
	defer cancel()
	example := exec.CommandContext(ctx, "go", "run", "./examples/codereview", "-serve", "-addr", "127.0.0.1:0", "-dir", t.TempDir())
	example.Dir = "../../../../.."
	example.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // go run starts another process
	example.Cancel = func() error { return syscall.Kill(-example.Process.Pid, syscall.SIGINT) }
	out, err := example.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := example.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		_ = example.Wait() // it was interrupted
	}()
	lines := bufio.NewScanner(out)
	url := ""
	for url == "" && lines.Scan() {
		if strings.HasPrefix(lines.Text(), "http://") {
			url = lines.Text()
		}
	}
	go func() {
		for lines.Scan() { // so that it can go on to write
		}
	}()
	w := &world{t: t, url: url}
	tb := w.open("runs/review-1", emulation.SetDeviceMetricsOverride(1400, 1540, 1, false))
	tb.until(`document.querySelector("#state-PostingComments.current") || document.querySelector("#state-AwaitingRetry.current")`)
	tb.do(chromedp.Evaluate("window.loaded = 1", nil))
	tb.until(`document.querySelector("#state-AwaitingRetry.current")`)
	tb.shot("example")
	tb.until(`document.querySelector("#state-Completed.current") && document.querySelector("h1 .status.success")`)
	if eval[int](tb, "window.loaded || 0") != 1 {
		t.Error("the page was loaded again")
	}
	tb.quiet()
}
