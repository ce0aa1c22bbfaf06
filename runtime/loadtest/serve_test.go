//go:build linux && cgo

package loadtest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// pagesAsked are what a reader of fsmc serve looks at. Each time the address is another, so that the
// page is rendered for him.
var pagesAsked = []struct{ name, path string }{
	{"overview", "?n=#"},
	{"machine", "machines/Ticket?n=#"},
	{"runs", "runs?where=machine%3DTicket+outcome%3Dsuccess&n=#"},
	{"run", "runs/run-0500###"},
	{"problems", "problems?n=#"},
	{"api-stats", "api/v1/machines/Ticket/stats?since=7d"},
	{"api-runs", "api/v1/runs?limit=50"},
}

// BenchmarkServe: fsmc serve on a database with a million finished runs: pages, a thousand streams, and what ten
// watchers cost the writers.
func BenchmarkServe(b *testing.B) {
	if testing.Short() {
		b.Skip("it writes two gigabytes")
	}
	binary := filepath.Join(b.TempDir(), "fsmc")
	if out, err := exec.Command("go", "build", "-o", binary, "../../cmd/fsmc").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	path, full := million(b)
	for k := range liveRunsSeen {
		start(b, full, fmt.Sprintf("live-%02d", k))
	}
	b.Run("pages", func(b *testing.B) { askForPages(b, binary, path) })
	b.Run("streams=1000", func(b *testing.B) { readStreams(b, binary, path, full, 1000) })
	for _, callers := range []int{1, liveRunsSeen} {
		b.Run(fmt.Sprintf("watchers=10/callers=%d", callers), func(b *testing.B) { writeWatched(b, binary, path, full, 10, callers) })
	}
}

// liveRunsSeen is how many runs have not ended, and are written to.
const liveRunsSeen = 8

// served is fsmc serve on a database.
type served struct {
	testing.TB
	url string
	pid int
}

// serve starts it. The function ends it.
func serve(b testing.TB, binary, path string) (*served, func()) {
	b.Helper()
	c := exec.Command(binary, "serve", "--db", path, "--addr", "127.0.0.1:0")
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	must(b, err)
	must(b, c.Start())
	stop := sync.OnceFunc(func() {
		_ = c.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = c.Wait()
	})
	b.Cleanup(stop)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatalf("the server does not say where it listens: %v", err)
	}
	return &served{b, strings.TrimSpace(line), c.Process.Pid}, stop
}

// get asks for a page, and gives how long the answer took, and how long it is.
func (s *served) get(ctx context.Context, path string) (time.Duration, int) {
	began := time.Now()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		s.Error(err)
		return 0, 0
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		if ctx.Err() == nil {
			s.Error(err)
		}
		return 0, 0
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if (err != nil || res.StatusCode != http.StatusOK) && ctx.Err() == nil {
		s.Errorf("%s: %s, %v", path, res.Status, err)
	}
	return time.Since(began), len(body)
}

// askForPages asks for each page, in turns as the one for which all figures are looked up, and as one for which
// that was done less than two seconds ago.
func askForPages(b *testing.B, binary, path string) {
	s, stop := serve(b, binary, path)
	defer stop()
	var first, later [16][]time.Duration
	n := 0
	for b.Loop() {
		for begin := range pagesAsked {
			time.Sleep(2100 * time.Millisecond) // after which figures are looked up again
			for k := range pagesAsked {
				n++
				at := (begin + k) % len(pagesAsked)
				took, _ := s.get(b.Context(), strings.NewReplacer("###", fmt.Sprintf("%03d", n%1000), "#", fmt.Sprint(n)).Replace(pagesAsked[at].path))
				if k == 0 {
					first[at] = append(first[at], took)
				} else {
					later[at] = append(later[at], took)
				}
			}
		}
	}
	for at, page := range pagesAsked {
		b.ReportMetric(milliseconds(quantileOf(first[at], 0.5)), page.name+"-looked-up-median-ms")
		b.ReportMetric(milliseconds(quantileOf(first[at], 0.95)), page.name+"-looked-up-p95-ms")
		b.ReportMetric(milliseconds(quantileOf(later[at], 0.5)), page.name+"-median-ms")
		b.ReportMetric(milliseconds(quantileOf(later[at], 0.95)), page.name+"-p95-ms")
	}
	b.ReportMetric(0, "ns/op")
}

// readStreams reads so many streams while steps are written, by this process: each stream must have each step.
func readStreams(b *testing.B, binary, path string, e *runtime.Engine, streams int) {
	s, stop := serve(b, binary, path)
	defer stop()
	ctx, cancel := context.WithCancel(b.Context())
	const sent = 30
	var committed [2 * sent]atomic.Int64
	var mu sync.Mutex
	var late []time.Duration
	var open, group sync.WaitGroup
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: streams}}
	for range streams {
		open.Add(1)
		group.Go(func() {
			r, _ := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"api/v1/feed?run=live-00", nil)
			res, err := client.Do(r)
			open.Done()
			if err != nil {
				b.Error(err)
				return
			}
			defer res.Body.Close()
			var mine []time.Duration
			for lines := bufio.NewScanner(res.Body); lines.Scan(); {
				_, seq, ok := strings.Cut(lines.Text(), `"seq":`)
				if !ok || !strings.HasPrefix(lines.Text(), "data:") {
					continue
				}
				var at int
				fmt.Sscanf(seq, "%d", &at)
				if at -= 2; at < len(committed) {
					mine = append(mine, time.Since(time.UnixMicro(committed[at].Load())))
				}
			}
			mu.Lock()
			late = append(late, mine...)
			mu.Unlock()
		})
	}
	open.Wait()
	time.Sleep(time.Second)
	one := &sender{engine: e, run: "live-00"}
	for k := range sent {
		committed[k].Store(time.Now().UnixMicro()) // should a stream be faster than the answer
		one.send(ctx, b)
		committed[k].Store(time.Now().UnixMicro())
		time.Sleep(100 * time.Millisecond)
	}
	time.Sleep(3 * time.Second)
	resident := residentOf(b, s.pid)
	cancel()
	group.Wait()
	for b.Loop() { // it was measured once
	}
	b.ReportMetric(float64(len(late)), "of-30000")
	b.ReportMetric(milliseconds(quantileOf(late, 0.5)), "median-ms")
	b.ReportMetric(milliseconds(quantileOf(late, 0.95)), "p95-ms")
	b.ReportMetric(resident, "MB")
	b.ReportMetric(0, "ns/op")
}

// writeWatched writes by one caller, or by eight, in turns without a server and with one whose pages are
// watched: half of the watchers look at the first page, half at the run that is written to.
func writeWatched(b *testing.B, binary, path string, e *runtime.Engine, watchers, callers int) {
	var senders []*sender
	for k := range callers {
		s := &sender{engine: e, run: fmt.Sprintf("watched-%02d-%d", k, time.Now().UnixNano())}
		start(b, e, s.run)
		senders = append(senders, s)
	}
	rate := func() float64 {
		const lasts = 1500 * time.Millisecond
		var group sync.WaitGroup
		var steps atomic.Int64
		began := time.Now()
		for _, s := range senders {
			group.Go(func() {
				for time.Since(began) < lasts {
					s.send(context.Background(), b)
					steps.Add(1)
				}
			})
		}
		group.Wait()
		return float64(steps.Load()) / time.Since(began).Seconds()
	}
	var with, without, ratios, cpu []float64
	for round := 0; b.Loop(); round++ {
		alone := 0.0
		if round%2 == 0 {
			alone = rate()
		}
		s, stop := serve(b, binary, path)
		ctx, cancel := context.WithCancel(b.Context())
		var group sync.WaitGroup
		for k := range watchers {
			page, pace := "", 2*time.Second
			if k%2 == 0 {
				page, pace = "runs/"+senders[k%len(senders)].run, 500*time.Millisecond
			}
			group.Go(func() { s.watch(ctx, page, pace) })
		}
		time.Sleep(3 * time.Second) // it is open by then, and its pages have been made
		used, began := cpuOf(b, s.pid), time.Now()
		watched := rate()
		cpu = append(cpu, (cpuOf(b, s.pid)-used)/time.Since(began).Seconds())
		cancel()
		group.Wait()
		stop()
		if round%2 == 1 {
			alone = rate()
		}
		with, without, ratios = append(with, watched), append(without, alone), append(ratios, watched/alone)
	}
	for name, list := range map[string][]float64{"with/s": with, "without/s": without, "ratio": ratios, "server-cores": cpu} {
		slices.Sort(list)
		b.ReportMetric(list[len(list)/2], name)
	}
	b.ReportMetric(0, "ns/op")
}

// watch does what a page's script does: it reads the feed, and fetches the page again when there is a step, at
// most once in a pace.
func (s *served) watch(ctx context.Context, page string, pace time.Duration) {
	feed := fmt.Sprintf("api/v1/feed?pace=%d", pace.Milliseconds())
	if run, ok := strings.CutPrefix(page, "runs/"); ok {
		feed += "&run=" + run
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+feed, nil)
	if err != nil {
		s.Error(err)
		return
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Error(err)
		return
	}
	defer res.Body.Close()
	news := make(chan struct{}, 1)
	go func() {
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			select {
			case news <- struct{}{}:
			default:
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-news:
			s.get(ctx, page)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pace):
		}
	}
}

// residentOf is the memory of a process, in MB.
func residentOf(b *testing.B, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(b, err)
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	var kB float64
	fmt.Sscanf(rest, "%f", &kB)
	return kB / 1000
}

// cpuOf is the CPU time that a process has taken, in seconds.
func cpuOf(b *testing.B, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	must(b, err)
	_, rest, _ := strings.Cut(string(text), ") ") // behind the name
	fields := strings.Fields(rest)
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}

func quantileOf(of []time.Duration, q float64) time.Duration {
	slices.Sort(of)
	if len(of) == 0 {
		return 0
	}
	return of[min(len(of)-1, int(q*float64(len(of))))]
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }
