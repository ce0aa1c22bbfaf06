//go:build unix

package process

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	fsmc "github.com/fsmc-dev/fsmc/runtime"
)

// obstacles keep an executable from being started, and are removed again.
var obstacles = map[string]struct {
	put    func(path string) (remove func() error, err error)
	reason string
}{
	"it is away": {func(path string) (func() error, error) {
		return func() error { return os.Rename(path+".away", path) }, os.Rename(path, path+".away")
	}, "no such file or directory"},
	"its folder is away": {func(path string) (func() error, error) {
		dir := filepath.Dir(path)
		return func() error { return os.Rename(dir+".away", dir) }, os.Rename(dir, dir+".away")
	}, "no such file or directory"},
	"it may not be executed": {func(path string) (func() error, error) {
		return func() error { return os.Chmod(path, 0o755) }, os.Chmod(path, 0o644)
	}, "permission denied"},
	"it is being written": {func(path string) (func() error, error) {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		return f.Close, err
	}, "text file busy"},
	"it is no program yet": {func(path string) (func() error, error) {
		script, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return func() error { return os.WriteFile(path, script, 0o755) }, os.WriteFile(path, []byte("no text\x00"), 0o755)
	}, "exec format error"},
	"its interpreter is away": {func(path string) (func() error, error) {
		script, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return func() error { return os.WriteFile(path, script, 0o755) }, os.WriteFile(path, []byte("#!/no/such/shell\n"), 0o755)
	}, "no such file or directory"},
}

// clearing removes an obstacle at the first attempt that meets it.
type clearing struct {
	observed
	t      *testing.T
	remove func() error
}

func (c *clearing) OnAttempt(i fsmc.AttemptInfo) {
	if i.End == fsmc.AttemptReturned {
		if err := c.remove(); err != nil {
			c.t.Error(err)
		}
	}
	c.observed.OnAttempt(i)
}

// TestNotStartedIsNotCounted: an attempt of which nothing could be run is released,
// and is the same attempt again once it can be.
func TestNotStartedIsNotCounted(t *testing.T) {
	for name, o := range obstacles {
		t.Run(name, func(t *testing.T) {
			if name == "it is being written" && runtime.GOOS != "linux" {
				t.Skip("not every system minds")
			}
			dir := filepath.Join(t.TempDir(), "activities")
			must(t, os.Rename(folder(t, map[string]string{"guard-ready": "echo true"}), dir))
			m := compile(t)
			h, err := Load(dir, m)
			must(t, err)
			h.Guards["ready"] = yes
			seen := &clearing{t: t}
			if seen.remove, err = o.put(filepath.Join(dir, "work")); err != nil {
				t.Fatal(err)
			}
			if v := playWith(t, h, m, fsmc.WithObserver(seen)); v.State != "Done" {
				t.Errorf("%s: %s", v.State, v.Data)
			}
			if len(seen.ends) != 2 || seen.ends[0].End != fsmc.AttemptReturned || seen.ends[1].Attempt != 1 {
				t.Fatalf("%+v", seen.ends)
			}
			if got := seen.ends[0].Message; !strings.Contains(got, "it cannot be started: ") || !strings.Contains(got, o.reason) {
				t.Errorf("it says %q", got)
			}
		})
	}
}

// TestMisfits: what cannot be started for what it is, is not offered again until it is
// another file; what the system lacks for a moment is none of that.
func TestMisfits(t *testing.T) {
	m := compile(t)
	for name, misfit := range map[string]bool{"its interpreter is away": true, "it is no program yet": true, "it is being written": false} {
		for _, executable := range []string{"work", "guard-ready"} {
			t.Run(name+" "+executable, func(t *testing.T) {
				if name == "it is being written" && runtime.GOOS != "linux" {
					t.Skip("not every system minds")
				}
				dir := folder(t, nil)
				remove, err := obstacles[name].put(filepath.Join(dir, executable))
				must(t, err)
				h, err := Load(dir, m)
				must(t, err)
				if executable == "work" {
					_, err = h.Activities["work"](t.Context(), &fsmc.Attempt{})
				} else {
					_, err = h.Guards["ready"](t.Context(), nil)
				}
				if err == nil || !strings.Contains(err.Error(), "it cannot be started") {
					t.Fatalf("got %v", err)
				}
				h, err = Load(dir, m)
				if offered := len(h.Activities)+len(h.Guards) == 3; offered == misfit || (err == nil) == misfit {
					t.Errorf("it is offered: %t, %v", offered, err)
				}
				if misfit && !strings.Contains(err.Error(), `"`+executable+`" cannot be used: it cannot be started: `) {
					t.Errorf("got %v", err)
				}
				must(t, remove())
				if _, err := Load(dir, m); err != nil {
					t.Errorf("when it has been put right: %v", err)
				}
			})
		}
	}
}

// TestGuardNotStarted: it has not said false, and not failed.
func TestGuardNotStarted(t *testing.T) {
	for name, o := range obstacles {
		t.Run(name, func(t *testing.T) {
			if name == "it is being written" && runtime.GOOS != "linux" {
				t.Skip("not every system minds")
			}
			dir := filepath.Join(t.TempDir(), "activities")
			must(t, os.Rename(folder(t, nil), dir))
			path := filepath.Join(dir, "guard-ready")
			remove, err := o.put(path)
			must(t, err)
			if _, err := guard(path)(t.Context(), nil); !errors.Is(err, fsmc.ErrNoGuard) || !strings.Contains(err.Error(), o.reason) {
				t.Errorf("got %v", err)
			}
			must(t, remove())
			if ready, err := guard(path)(t.Context(), nil); err != nil || !ready {
				t.Errorf("got %t, %v", ready, err)
			}
		})
	}
}

func yes(context.Context, json.RawMessage) (bool, error) { return true, nil }
