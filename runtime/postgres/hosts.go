package postgres

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
)

// Each process that can write has a row in hosts, so that no migration takes away what an
// older version still needs. It joins under the lock that a migration holds, and looks at the
// format behind it: so a migration sees the process, or the process sees the migration.
const (
	joinHosts = `
	INSERT INTO @hosts (id, host, pid, version, format) VALUES ($1, $2, $3, $4, $5)
	ON CONFLICT (id) DO UPDATE SET seen = clock_timestamp()`
	leaveHosts  = `DELETE FROM @hosts WHERE id = $1`
	forgetHosts = `DELETE FROM @hosts WHERE id = ANY (ARRAY(
		SELECT id FROM @hosts WHERE seen < clock_timestamp() - interval '1 day' FOR UPDATE SKIP LOCKED))`
	selectHosts = `
	SELECT host, pid, version, format, began, seen, seen > clock_timestamp() - $1 * interval '1 second'
	FROM @hosts ORDER BY began, id`
)

const (
	// beatEvery is how often a process says that it is there.
	beatEvery = 30 * time.Second

	// hostGone is after how long without that it counts as gone; it does not write any more
	// before it has looked at the format again.
	hostGone = 4 * beatEvery
)

// Host is a process that has a database open, to write to it.
type Host struct {
	Host    string    `json:"host"`
	PID     int64     `json:"pid"`
	Version string    `json:"version"` // of fsmc
	Format  int       `json:"format"`  // the newest one that it knows
	Began   time.Time `json:"began"`
	Seen    time.Time `json:"seen"`
	Alive   bool      `json:"alive"` // it was seen in the last two minutes
}

func scanHost(found sqlrow.Row, h *Host) error {
	return found.Scan(&h.Host, &h.PID, &h.Version, &h.Format, &h.Began, &h.Seen, &h.Alive)
}

func (t *tx) hosts(ctx context.Context) ([]Host, error) {
	return sqlrow.List(ctx, t, scanHost, selectHosts, hostGone.Seconds())
}

// refuseOlder refuses to contract the tables while a process has them open that does not know
// the format.
func (t *tx) refuseOlder(ctx context.Context, format int) error {
	hosts, err := t.hosts(ctx)
	if err != nil {
		return err
	}
	var older []string
	for _, h := range hosts {
		if h.Alive && h.Format < format {
			older = append(older, fmt.Sprintf("process %d on %s (fsmc %s)", h.PID, h.Host, h.Version))
		}
	}
	if len(older) > 0 {
		return fmt.Errorf("%w: %s", ErrOlderHosts, strings.Join(older, ", "))
	}
	return nil
}

// presence is that of a process in the table of hosts.
type presence struct {
	id   string
	seen atomic.Int64 // when it has said so last, in seconds by the clock on the wall, which goes on in a sleep
	late sync.Mutex   // one call at a time says so behind time
	stop context.CancelFunc
	done chan struct{}
}

// join says that this process is there, and goes on saying it until the store is closed.
func (s *Store) join(ctx context.Context) error {
	s.present.id = rand.Text()
	if err := s.insist(ctx, func() error { return s.beat(ctx) }); err != nil {
		return err
	}
	beating, stop := context.WithCancel(context.Background())
	s.present.stop, s.present.done = stop, make(chan struct{})
	go func() {
		defer close(s.present.done)
		for rest(beating, beatEvery) {
			_ = s.beat(beating) // a later one says so, or a call that needs it
			s.archive(beating)
		}
	}()
	return nil
}

// rest waits, and reports whether ctx has not ended.
func rest(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// beat says that this process is there, and looks at the format.
func (s *Store) beat(ctx context.Context) error {
	host, _ := os.Hostname()
	begun := time.Now()
	return s.transactNow(ctx, func(ctx context.Context, t *tx) error {
		var rows []applied
		t.queue(nil, shareSchema, s.schema)
		t.queue(nil, joinHosts, s.present.id, cmp.Or(host, "unknown"), os.Getpid(), version(), len(s.steps()))
		t.queue(nil, forgetHosts)
		ask(t, &rows, scanApplied, selectMeta)
		if err := t.flush(ctx); err != nil {
			return err
		}
		if err := s.known(rows); err != nil {
			return err
		}
		s.present.seen.Store(begun.Unix())
		return nil
	})
}

// attend is called before each use of the database. A process that has not been seen for so long that
// it may count as gone says first that it is there, and hears whether it can still work.
func (s *Store) attend(ctx context.Context) error {
	if s.within != nil {
		return s.within.store.attend(ctx)
	}
	p := &s.present
	if p.id == "" || !p.overdue() {
		return nil
	}
	p.late.Lock()
	defer p.late.Unlock()
	if !p.overdue() {
		return nil
	}
	return s.beat(ctx)
}

// overdue reports whether the process may soon count as gone.
func (p *presence) overdue() bool {
	late := time.Now().Unix() - p.seen.Load()
	return late < 0 || late > int64((hostGone/2).Seconds())
}

// leave takes the process's row away. Nothing depends on it: a row that stays counts as gone.
func (s *Store) leave() {
	if s.present.stop == nil {
		return
	}
	s.present.stop()
	<-s.present.done
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = s.useNow(ctx, func(t *tx) error {
		t.queue(nil, `SELECT set_config('synchronous_commit', 'off', true)`)
		t.queue(nil, leaveHosts, s.present.id)
		return t.flush(ctx)
	})
}

// version is that of fsmc in this process.
var version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	found := info.Main
	for _, d := range info.Deps {
		if d.Path == "github.com/fsmc-dev/fsmc" {
			found = *d
		}
	}
	if found.Version != "" && found.Version != "(devel)" {
		return found.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return s.Value[:12]
		}
	}
	return "unreleased"
})
