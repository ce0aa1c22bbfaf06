//go:build unix

package process

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/fsmc-dev/fsmc/internal/patient"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// must ends a test that cannot go on with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// errOf is the error of a call, for must, where nothing else of it is wanted.
func errOf[T any](_ T, err error) error { return err }

// definition is a machine with the activities `work(n) -> Found` and `rest()`,
// and the guard `ready(n)`. It starts working on Go, if it is ready; Found leads
// to Done, a failure to Broken with its category and message.
func definition(limits func(*machine.Do)) *runtime.Definition {
	number := machine.Field{Name: "n", Type: machine.Type{Kind: machine.Int}, Default: json.RawMessage("7")}
	text := machine.Type{Kind: machine.String}
	none := machine.Scope{Kind: machine.PerRun, State: -1}
	field := func(i int, t machine.Type) *machine.Expr { return &machine.Expr{Op: "field", Type: t, Index: i} }
	payload := func(name string) *machine.Expr { return &machine.Expr{Op: "event", Type: text, Name: name} }
	transition := func(name string, target int) machine.Arm {
		return machine.Arm{Name: name, State: 2, Kind: machine.GotoArm, Target: target, Scope: none}
	}
	begin, found, broken := transition("go", 2), transition("found", 3), transition("failed", 4)
	begin.State = 1
	begin.When = &machine.Expr{Op: "guard", Type: machine.Type{Kind: machine.Bool}, Args: []*machine.Expr{field(0, number.Type)}}
	found.Block = &machine.Block{Assigns: []machine.Assign{{Field: 0, Value: &machine.Expr{Op: "event", Type: number.Type, Name: "n"}}}}
	broken.Block = &machine.Block{Assigns: []machine.Assign{{Field: 1, Value: payload("category")}, {Field: 2, Value: payload("message")}}}
	do := machine.Do{Name: "Working.work", State: 2, Args: []*machine.Expr{field(0, number.Type)}, Scope: machine.Scope{Kind: machine.PerVisit, State: -1}}
	limits(&do)
	handlers := []machine.Handler{{Kind: machine.ResultInput, Event: 1, Category: -1, Timer: -1, Arms: []int{1}}}
	for c := range 5 {
		handlers = append(handlers, machine.Handler{Kind: machine.FailureInput, Event: -1, Category: c, Timer: -1, Arms: []int{2}})
	}
	return &runtime.Definition{
		Format:     machine.Format,
		Name:       "M",
		Fields:     []machine.Field{number, {Name: "category", Type: text}, {Name: "message", Type: text}},
		Events:     []machine.Event{{Name: "Go"}, {Name: "Found", Fields: []machine.Field{{Name: "n", Type: number.Type}}, Internal: true}},
		Categories: []string{"auth", "unknown", "timeout", "silent", "stalled"},
		Activities: []machine.Activity{
			{Name: "work", Params: []machine.Field{{Name: "n", Type: number.Type}}, Results: []int{1}, Fails: []int{0}},
			{Name: "rest"},
		},
		Guards: []machine.Guard{{Name: "ready", Params: []machine.Field{{Name: "n", Type: number.Type}}}},
		States: []machine.State{
			{Kind: machine.CompositeState, Parent: -1, Initial: 1},
			{Path: "Idle", Kind: machine.LeafState, Initial: -1, Handlers: []machine.Handler{{Kind: machine.EventInput, Do: -1, Category: -1, Timer: -1, Arms: []int{0}}}},
			{Path: "Working", Kind: machine.LeafState, Initial: -1, Dos: []int{0}, Handlers: handlers},
			{Path: "Done", Kind: machine.TerminalState, Outcome: runtime.Success, Initial: -1},
			{Path: "Broken", Kind: machine.TerminalState, Outcome: runtime.Failed, Initial: -1},
		},
		Arms: []machine.Arm{begin, found, broken},
		Dos:  []machine.Do{do},
	}
}

func compile(t testing.TB, limits ...func(*machine.Do)) *runtime.Machine {
	t.Helper()
	m, err := machine.Compile(definition(func(d *machine.Do) {
		for _, limit := range limits {
			limit(d)
		}
	}))
	must(t, err)
	return m
}

// folder makes executables that are shell scripts. Those not given do what
// lets a run go on.
func folder(t testing.TB, scripts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{"work": `echo '{"event":"Found","data":{"n":1}}'`, "rest": "echo '{}'", "guard-ready": "echo true"}
	maps.Copy(all, scripts)
	for name, script := range all {
		writeScript(t, filepath.Join(dir, name), "#!/bin/sh\n"+script+"\n")
	}
	return dir
}

// writeScript makes a file that can be executed at once. A process that another test
// begins meanwhile would have it open for writing for a moment, in which it is busy.
func writeScript(t testing.TB, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte(text), 0o755)
	syscall.ForkLock.RUnlock()
	must(t, err)
}

// observed keeps what was said of attempts, to be read when the engine has stopped.
type observed struct {
	mu   sync.Mutex
	ends []runtime.AttemptInfo
}

func (*observed) OnStep(runtime.StepInfo) {}

func (o *observed) OnAttempt(i runtime.AttemptInfo) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ends = append(o.ends, i)
}

// play takes a machine with the executables of dir to its end.
func play(t testing.TB, dir string, m *runtime.Machine, opts ...runtime.Option) runtime.View {
	t.Helper()
	h, err := Load(dir, m)
	must(t, err)
	return playWith(t, h, m, opts...)
}

// begun is an engine with a run whose activity is to begin.
func begun(t testing.TB, h runtime.Handlers, m *runtime.Machine, opts ...runtime.Option) *runtime.Engine {
	t.Helper()
	e := runtime.NewEngine(memstore.New(), opts...)
	must(t, e.Register(m, "", h))
	must(t, errOf(e.Start(t.Context(), "M", "r", nil)))
	must(t, errOf(e.Send(t.Context(), "r", runtime.ExternalEvent{Name: "Go"})))
	return e
}

func playWith(t testing.TB, h runtime.Handlers, m *runtime.Machine, opts ...runtime.Option) runtime.View {
	t.Helper()
	e := begun(t, h, m, opts...)
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	v, err := e.RunUntilIdle(ctx, "r")
	must(t, err)
	return v
}

// outOfTime lets the activity in dir run out of time once it has made the file began.
func outOfTime(t *testing.T, dir, began string) runtime.View {
	t.Helper()
	m := limited(t)
	h, err := Load(dir, m)
	must(t, err)
	_, v := stop(t, h, m, began, false)
	return v
}

type end struct {
	N                 int
	Category, Message string
}

func endOf(t testing.TB, v runtime.View) end {
	t.Helper()
	var e end
	must(t, json.Unmarshal(v.Data, &e))
	return e
}

func TestLoadListsWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "work"), []byte("#!/bin/sh\n"), 0o644))
	must(t, os.Mkdir(filepath.Join(dir, "guard-ready"), 0o755))
	_, err := Load(dir, compile(t))
	want := fmt.Sprintf(`executables of machine "M" in %q: "work" is not executable, "rest" is missing, "guard-ready" is no file`, dir)
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if _, err := Load(filepath.Join(dir, "none"), compile(t)); err == nil || !strings.Contains(err.Error(), "there is no folder") {
		t.Error(err)
	}
	if _, err := Load(filepath.Join(dir, "work"), compile(t)); err == nil || !strings.Contains(err.Error(), "is no folder") {
		t.Error(err)
	}
}

// TestLoadStaysInTheFolder: a link may lead to another file of the folder, but not out
// of it, and the folder itself may be a link.
func TestLoadStaysInTheFolder(t *testing.T) {
	dir := folder(t, map[string]string{"versions": "exit 0", "guard-ready": "echo true"})
	outside := folder(t, map[string]string{"rest": "exit 0"})
	for link, to := range map[string]string{"work": "versions", "rest": filepath.Join(outside, "rest")} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	linked := filepath.Join(t.TempDir(), "linked")
	must(t, os.Symlink(dir, linked))
	for _, dir := range []string{dir, linked} {
		h, err := Load(dir, compile(t))
		want := fmt.Sprintf(`executables of machine "M" in %q: "rest" is a link that leads out of the folder`, dir)
		if err == nil || err.Error() != want || h.Activities["work"] == nil || h.Activities["rest"] != nil {
			t.Errorf("got %v, %v\nwant %s", h, err, want)
		}
	}
}

func TestRequestAndAnswer(t *testing.T) {
	seen := filepath.Join(t.TempDir(), "seen")
	dir := folder(t, map[string]string{
		"work":        "cat > " + seen + `; echo noise; echo '{"event": "Found", "data": {"n": 42}, "cost": {"tokens": 1234, "usd": 0.10}}'; echo; echo`,
		"guard-ready": "cat > " + seen + ".guard; echo true",
	})
	o := &observed{}
	v := play(t, dir, compile(t), runtime.WithObserver(o))
	if v.State != "Done" || endOf(t, v).N != 42 {
		t.Errorf("%+v", v)
	}
	for file, want := range map[string]string{
		seen:            `{"run":"r","machine":"M","activity":"work","attempt":1,"idempotency_key":"r/Working.work/2","fence":1,"args":{"n":7},"checkpoint":null}` + "\n",
		seen + ".guard": `{"args":{"n":7}}` + "\n",
	} {
		got, err := os.ReadFile(file)
		got = regexp.MustCompile("@[0-9a-z]+/").ReplaceAll(got, []byte("/")) // the token of the run
		if err != nil || string(got) != want {
			t.Errorf("got %s, %v\nwant %s", got, err, want)
		}
	}
	if len(o.ends) != 1 || o.ends[0].Cost["tokens"] != "1234" || o.ends[0].Cost["usd"] != "0.10" {
		t.Errorf("%+v", o.ends)
	}
}

func TestBadAnswers(t *testing.T) {
	for name, c := range map[string]struct{ script, category, want string }{
		"declared failure":   {`echo '{"failed": "auth", "message": "no key"}'`, "auth", "no key"},
		"undeclared failure": {`echo '{"failed": "weather", "message": "rain"}'`, "unknown", `cannot fail with category "weather": rain`},
		"exit status":        {`echo '{"event":"Found","data":{"n":1}}'; echo it is broken >&2; exit 3`, "unknown", "exit status 3: it is broken"},
		"silent exit":        {"exit 4", "unknown", "exit status 4"},
		"signal":             {"kill -9 $$", "unknown", "signal: killed"},
		"long stderr":        {"i=0; while [ $i -lt 2000 ]; do echo line $i >&2; i=$((i+1)); done; exit 1", "unknown", "line 1999"},
		"nothing":            {"true", "unknown", "it printed no answer as its last line"},
		"only a heartbeat":   {`echo '{"heartbeat": true}'`, "unknown", "it printed no answer as its last line"},
		"garbage":            {"echo all is well", "unknown", `its last line is no answer: it is no JSON object: "all is well"`},
		"long garbage":       {"head -c 5000 /dev/zero | tr '\\0' x", "unknown", `"xxxx`},
		"endless line":       {"head -c 3000000 /dev/zero | tr '\\0' x", "unknown", "its last line is longer than 1114112 bytes"},
		"endless checkpoint": {`printf '{ "progress": "'; head -c 3000000 /dev/zero | tr '\0' x; echo '"}'; exec sleep 60`, "unknown",
			"its checkpoint was not stored: its line is longer than 1114112 bytes"},
		"large checkpoint": {`printf '{"progress": "'; head -c 1050000 /dev/zero | tr '\0' x; echo '"}'; exec sleep 60`, "unknown",
			"its checkpoint was not stored: the checkpoint is too large: it has 1050002 bytes, more than the 1048576 that are allowed"},
		"unknown member": {`echo '{"evnt": "Found"}'`, "unknown", `its last line is no answer: unknown field "evnt"`},
		"wrong type":     {`echo '{"failed": "auth", "message": 5}'`, "unknown", `its last line is no answer: field "message" cannot be a number: "{`},
		"event twice":    {`echo '{"event": "Found", "event": "Found", "data": {"n": 1}}'`, "unknown", `field "event" is given twice`},
		"data twice":     {`echo '{"event": "Found", "data": {"n": 1}, "d\u0061ta": {"n": 2}}'`, "unknown", `field "data" is given twice`},
		"another case":   {`echo '{"Event": "Found", "data": {"n": 1}}'`, "unknown", `unknown field "Event"`},
		"more behind":    {`echo '{} {}'`, "unknown", "there is more behind the object"},
		"two kinds":      {`echo '{"event": "Found", "failed": "auth"}'`, "unknown", "its answer is of several kinds"},
		"empty category": {`echo '{"failed": ""}'`, "unknown", "its answer has an empty name"},
		"empty event":    {`echo '{"event": ""}'`, "unknown", "its answer has an empty name"},
		"data alone":     {`echo '{"data": {"n": 1}}'`, "unknown", "names no event"},
		"message alone":  {`echo '{"message": "hm"}'`, "unknown", "names no category"},
		"no event":       {`echo '{}'`, "unknown", "it names no event"},
		"wrong payload":  {`echo '{"event":"Found","data":{"n":"1"}}'`, "unknown", `field "n": expected int`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, map[string]string{"work": c.script})
			got := endOf(t, play(t, dir, compile(t)))
			if got.Category != c.category || !strings.Contains(got.Message, c.want) {
				t.Errorf("failed(%s): %s\nwant failed(%s): %s", got.Category, got.Message, c.category, c.want)
			}
			if len(got.Message) > maxStderr+100 {
				t.Errorf("the message has %d bytes", len(got.Message))
			}
		})
	}
}

func TestGuardExecutables(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"false":       {"echo false", "guard is false"},
		"garbage":     {"echo maybe", `its last line is neither true nor false: "maybe"`},
		"exit status": {"echo true; echo oh >&2; exit 1", "exit status 1: oh"},
	} {
		t.Run(name, func(t *testing.T) {
			m := compile(t)
			h, err := Load(folder(t, map[string]string{"guard-ready": c.script}), m)
			must(t, err)
			e := runtime.NewEngine(memstore.New())
			must(t, e.Register(m, "", h))
			must(t, errOf(e.Start(t.Context(), "M", "r", nil)))
			_, err = e.Send(t.Context(), "r", runtime.ExternalEvent{Name: "Go"})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

func TestSignsOfLife(t *testing.T) {
	limits := func(heartbeat, progress time.Duration) *runtime.Machine {
		return compile(t, func(d *machine.Do) {
			h, p := int64(heartbeat), int64(progress)
			d.Heartbeat, d.Progress = &h, &p
		})
	}
	dir := folder(t, map[string]string{"work": `
		for i in 1 2 3 4 5 6; do sleep 1; echo '{"heartbeat": true}'; done
		echo '{"progress": {"row": 4500}}'
		echo '{"event":"Found","data":{"n":1}}'`})
	t.Parallel()
	if v := play(t, dir, limits(5*time.Second, hangs)); v.State != "Done" {
		t.Errorf("%s", v.Data)
	}
	if v := play(t, dir, limits(5*time.Second, 3*time.Second)); endOf(t, v).Category != "stalled" {
		t.Errorf("%s", v.Data)
	}
	if v := play(t, dir, limits(100*time.Millisecond, hangs)); endOf(t, v).Category != "silent" {
		t.Errorf("%s", v.Data)
	}
}

// TestCheckpoint: what an attempt has stored before it gave up is handed to the
// next one.
func TestCheckpoint(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	dir := folder(t, map[string]string{"work": `cat > ` + tmp + `/$$
		if grep -q '"checkpoint":{"row":4500}' ` + tmp + `/$$; then
			echo '{"event":"Found","data":{"n":1}}'
		else
			echo '{"progress": {"row": 4500}}'
			echo '{"declined": "later"}'
		fi`})
	if v := play(t, dir, compile(t)); v.State != "Done" {
		t.Errorf("%s", v.Data)
	}
	if requests, err := filepath.Glob(filepath.Join(tmp, "*")); err != nil || len(requests) != 2 {
		t.Errorf("%d attempts, %v", len(requests), err)
	}
}

func TestDeclined(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "mark")
	dir := folder(t, map[string]string{"work": `if [ -e ` + mark + ` ]; then echo '{"event":"Found","data":{"n":1}}'; else touch ` + mark + `; echo '{"declined": "busy", "cost": {"tokens": 3}}'; fi`})
	o := &observed{}
	if v := play(t, dir, compile(t), runtime.WithObserver(o)); v.State != "Done" || spent(v.Costs) != "3" {
		t.Errorf("%s, %v", v.Data, v.Costs)
	}
	if len(o.ends) != 2 || o.ends[0].End != runtime.AttemptReturned || o.ends[1].Attempt != 1 {
		t.Errorf("%+v", o.ends)
	}
}

// TestTimeoutStopsTheGroup checks that the children of a script are gone when
// its attempt has failed, though the script cleans up first.
func TestTimeoutStopsTheGroup(t *testing.T) {
	tmp := t.TempDir()
	dir := folder(t, map[string]string{"work": `
		sleep 300 & echo $! > ` + tmp + `/child
		trap 'echo cleaned > ` + tmp + `/cleaned; exit 0' TERM
		: > ` + tmp + `/began
		wait`})
	if got := endOf(t, outOfTime(t, dir, filepath.Join(tmp, "began"))); got.Category != "timeout" || got.Message != "no result within 1s" {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(filepath.Join(tmp, "cleaned")); err != nil {
		t.Error("the script was not asked to stop")
	}
	if pid := readPID(t, filepath.Join(tmp, "child")); syscall.Kill(pid, 0) == nil && !zombie(pid) {
		t.Errorf("process %d is left behind", pid)
	}
}

// hangs is after how long something that does not end at once is taken to hang:
// scripts here sleep for five minutes.
const hangs = time.Minute

// TestKilledAfterTenSeconds is about a group that ignores being asked to stop.
func TestKilledAfterTenSeconds(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "began")
	dir := folder(t, map[string]string{"work": `trap '' TERM; : > ` + mark + `; sleep 300; sleep 300`})
	t.Parallel()
	began := time.Now()
	v := outOfTime(t, dir, mark)
	if took := time.Since(began); endOf(t, v).Category != "timeout" || took < stopTime || took > stopTime+hangs {
		t.Errorf("after %s: %s", took, v.Data)
	}
}

func TestSlowGuard(t *testing.T) {
	dir := folder(t, map[string]string{"guard-ready": "exec sleep 300"})
	t.Parallel()
	began := time.Now()
	_, err := guard(filepath.Join(dir, "guard-ready"))(t.Context(), json.RawMessage("{}"))
	if took := time.Since(began); err == nil || err.Error() != "no answer within 5s" || took > GuardTimeout+hangs {
		t.Errorf("%v after %s", err, took)
	}
}

// TestLeftBehind checks that what a script leaves running when it exits is
// killed, and does not hold the attempt up.
func TestLeftBehind(t *testing.T) {
	t.Parallel()
	pid := filepath.Join(t.TempDir(), "child")
	dir := folder(t, map[string]string{"work": `sleep 300 & echo $! > ` + pid + `; echo '{"event":"Found","data":{"n":1}}'`})
	began := time.Now()
	if v := play(t, dir, compile(t)); v.State != "Done" || time.Since(began) > hangs {
		t.Errorf("after %s: %s", time.Since(began), v.Data)
	}
	child := readPID(t, pid)
	for deadline := time.Now().Add(hangs); syscall.Kill(child, 0) == nil && !zombie(child); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d is left behind", child)
		}
	}
}

// zombie reports whether a process has ended and no one has taken note.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

func readPID(t testing.TB, file string) int {
	t.Helper()
	data, err := os.ReadFile(file)
	must(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	must(t, err)
	return pid
}

func TestTail(t *testing.T) {
	var b tail
	for i := range 3000 {
		fmt.Fprintf(&b, "%d\n", i)
	}
	if got := b.String(); !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "\n2999") || len(got) > maxStderr+3 {
		t.Errorf("%d bytes, from %.20q", len(got), got)
	}
	must(t, errOf(b.Write([]byte(strings.Repeat("y", 10000)))))
	if got := b.String(); got != "…"+strings.Repeat("y", maxStderr) {
		t.Errorf("%d bytes, from %.20q", len(got), got)
	}
}
