// Package process runs activities and host guards that are executables, in any
// language. Each attempt of an activity is one process: it gets one JSON object
// on standard input and answers with one as the last line of its standard
// output.
//
//	{"run": "r1", "machine": "M", "activity": "fetch", "attempt": 1,
//	 "idempotency_key": "…", "fence": 12, "args": {…}, "checkpoint": null}
//
//	{"event": "Fetched", "data": {…}}    raises an event
//	{}                                   ends, where the activity declares no event
//	{"failed": "auth", "message": "…"}   fails with a category of the machine
//	{"declined": "why"}                  releases the attempt, uncounted
//
// An answer may carry "cost": {"tokens": 1234}, and so may a line with progress: what the
// attempt has used in all until then. Lines before the last of the
// form {"heartbeat": true} and {"progress": …} are heartbeats and checkpoints,
// taken as they are printed; other lines are passed over. A process that exits
// with another status than 0 has failed as `unknown`, with the end of its
// standard error as the message, whatever it has printed. One that cannot be
// started, because it is away or being written or the system has no room for it, is
// released uncounted and tried again.
//
// A guard gets {"args": {…}} and answers true or false, within five seconds.
//
// A process is the leader of a process group. When its attempt is cancelled
// the group gets SIGTERM, and ten seconds later SIGKILL; what a process leaves
// running when it exits is killed. What it answers after SIGTERM with exit status
// 0 is passed on, as what comes too late, with its cost. Where there are no
// process groups (Windows) the process alone is killed, at once. Elsewhere the group
// dies with the program that started it, also where that was killed with SIGKILL: a
// shell waits for that moment. What has left the group is out of reach, and can be told
// by its environment: FSMC_RUN, FSMC_ACTIVITY, FSMC_ATTEMPT, FSMC_KEY and FSMC_FENCE,
// which rises with each claim.
package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// GuardTimeout is how long a guard may take.
const GuardTimeout = 5 * time.Second

// Load finds the executables of m's activities (dir/NAME) and guards
// (dir/guard-NAME). The error lists all that are missing or that cannot be
// executed; the handlers are what there is beside them. The folder is not watched: an
// executable that is replaced is used from the next attempt on.
func Load(dir string, m *runtime.Machine) (runtime.Handlers, error) {
	root, err := filepath.Abs(dir)
	if err == nil {
		err = CheckFolder(dir)
	}
	if err != nil {
		return runtime.Handlers{}, err
	}
	var faults []string
	find := func(name string) (path string, found bool) {
		path, fault := executable(root, name)
		if fault != "" {
			faults = append(faults, fmt.Sprintf("%q %s", name, fault))
		}
		return path, fault == ""
	}
	h := runtime.HandlersOf(m.Definition(), func(name string) runtime.ActivityFunc {
		if path, found := find(name); found {
			return activity(path)
		}
		return nil
	}, func(name string) runtime.GuardFunc {
		if path, found := find("guard-" + name); found {
			return guard(path)
		}
		return nil
	})
	if len(faults) > 0 {
		return h, fmt.Errorf("executables of machine %q in %q: %s", m.Definition().Name, dir, strings.Join(faults, ", "))
	}
	return h, nil
}

// CheckFolder says what is wrong where there cannot be any executables in dir.
func CheckFolder(dir string) error {
	switch info, err := os.Stat(dir); {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("there is no folder %q", dir)
	case err != nil:
		return fmt.Errorf("the folder %q cannot be read: %w", dir, err)
	case !info.IsDir():
		return fmt.Errorf("%q is no folder", dir)
	}
	return nil
}

// executable is the path of the file called name, or what is wrong with it.
func executable(root, name string) (path, fault string) {
	path = filepath.Join(root, name)
	info, err := statExecutable(&path)
	switch {
	case os.IsNotExist(err):
		return path, "is missing"
	case err != nil:
		return path, "cannot be read: " + err.Error()
	case !info.Mode().IsRegular():
		return path, "is no file"
	case !mayExecute(info):
		return path, "is not executable"
	case !within(root, path):
		return path, "is a link that leads out of the folder"
	}
	if why := misfits.why(path, info); why != "" {
		return path, "cannot be used: " + why
	}
	return path, ""
}

// within reports whether path is a file below root, wherever links lead.
func within(root, path string) bool {
	root, errRoot := filepath.EvalSymlinks(root)
	path, errPath := filepath.EvalSymlinks(path)
	if errRoot != nil || errPath != nil {
		return false
	}
	below, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(below)
}

// attempt is what an activity gets on standard input.
type attempt struct {
	Run        string          `json:"run"`
	Machine    string          `json:"machine"`
	Activity   string          `json:"activity"`
	Attempt    int             `json:"attempt"`
	Key        string          `json:"idempotency_key"`
	Fence      int64           `json:"fence"`
	Args       json.RawMessage `json:"args"`
	Checkpoint json.RawMessage `json:"checkpoint"`
	Trace      string          `json:"traceparent,omitempty"`
}

func told(a *runtime.Attempt) attempt {
	return attempt{a.Run, a.Machine, a.Activity, a.Number, a.Key, a.Fence, a.Args, a.Checkpoint, a.TraceParent}
}

// environment is this process's own, and by which attempt an executable was started:
// what that starts in its turn has it too, and can be told by it.
func environment(a *runtime.Attempt) []string {
	env := os.Environ()
	for name, value := range map[string]string{
		"RUN": a.Run, "ACTIVITY": a.Activity, "ATTEMPT": strconv.Itoa(a.Number), "KEY": a.Key, "FENCE": strconv.FormatInt(a.Fence, 10),
	} {
		if !strings.ContainsRune(value, 0) { // with which nothing can be started
			env = append(env, "FSMC_"+name+"="+value)
		}
	}
	if a.TraceParent != "" {
		env = append(env, "TRACEPARENT="+a.TraceParent)
	}
	return env
}

// activity runs the executable at path for each attempt.
func activity(path string) runtime.ActivityFunc {
	return func(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
		input, err := line(told(a))
		if err != nil {
			return runtime.Result{}, err
		}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		said := reports{}
		out := newOutput(func(l []byte, cut bool) bool { return signs(a, said, l, cut, cancel) })
		info, _ := os.Stat(path) // before: it may be replaced at any time
		cmd := exec.Command(path)
		cmd.Env = environment(a)
		if _, err := runAsked(ctx, cmd, input, out, a.Stderr()); err != nil {
			misfits.note(path, info, err)
			return runtime.Result{}, uncounted(err)
		}
		return late(ctx)(said.rest(out.answer()))
	}
}

// guard asks the executable at path.
func guard(path string) runtime.GuardFunc {
	return func(ctx context.Context, args json.RawMessage) (bool, error) {
		input, err := line(map[string]json.RawMessage{"args": args})
		if err != nil {
			return false, err
		}
		ctx, cancel := context.WithTimeoutCause(ctx, GuardTimeout, fmt.Errorf("no answer within %s", GuardTimeout))
		defer cancel()
		out := newOutput(func([]byte, bool) bool { return false })
		info, _ := os.Stat(path)
		if err := run(ctx, exec.Command(path), input, out); err != nil {
			misfits.note(path, info, err)
			return false, err
		}
		return out.verdict()
	}
}

// line writes v as one line of JSON, with no more escapes than JSON demands.
func line(v any) ([]byte, error) {
	encoded, err := machine.EncodeJSON(v)
	return append(encoded, '\n'), err
}
