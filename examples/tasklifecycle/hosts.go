package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgproxy"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
)

// The time of a swarm of processes is this much faster than that of the world's.
const (
	hurriedTimes = 30
	// slowHost is by how much later a dead agent may be noticed because this computer is busy. No
	// clock waits for it here.
	slowHost = 30 * time.Second
)

// befallFor is how long hosts are cut off or stopped: longer than their leases last.
const befallFor = 5 * time.Minute

// befallAt is when that begins.
func (c *config) befallAt() time.Duration {
	if c.calm { // agents are at work sooner
		return 2 * time.Minute
	}
	return 5 * time.Minute
}

// runHosts lets a swarm live on four processes that share a PostgreSQL database, if there is
// a server to be had.
func runHosts(ctx context.Context, c config, out io.Writer) error {
	at, drop, err := pgtest.Schema()
	if err != nil {
		fmt.Fprintf(out, "THE SWARM OF HOSTS DID NOT LIVE: there is no PostgreSQL server: %v.\n"+
			"Install one (initdb has to be there), or set FSMC_POSTGRES=postgres://….\n", err)
		return nil
	}
	err = hostsOn(ctx, c, at, hurriedTimes, out)
	if os.Getenv("FSMC_POSTGRES") == "" {
		if dropped := drop(context.WithoutCancel(ctx)); err == nil {
			err = dropped
		}
	} else if named, bad := url.Parse(at); bad == nil {
		fmt.Fprintf(out, "\nThe runs stay in the database. Look at them:\n  go run ./cmd/fsmc stats --db '%s'\n", named.Redacted())
	}
	return err
}

// hostsOn lets a swarm live on a database.
func hostsOn(ctx context.Context, c config, at string, times int, out io.Writer) error {
	if c.agents < hosts || c.tasks < 1 {
		return errors.New("there must be a task, and an agent on each host")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	db, err := postgres.Open(ctx, at)
	if err != nil {
		return err
	}
	defer db.Close()
	whole := newWorld(c.fates())
	clock := fastClock{time.Now(), time.Duration(times)}
	s := newSwarm(ctx, c, whole, clock)
	s.store, s.whole, s.lead.engine = db, whole, runtime.NewEngine(db)
	s.noticed += slowHost * time.Duration(times)
	source := hurried(times)
	m, err := compiled(source)
	if err == nil {
		err = s.lead.engine.Register(m, source, runtime.Handlers{})
	}
	if err != nil {
		return err
	}
	n := &network{swarm: s, at: at, clock: clock}
	defer n.close()
	if err := n.begin(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d agents on %d hosts, each a process with a proxy before PostgreSQL; %d tasks of %d rows, a checkpoint every %d\n\n",
		c.agents, hosts, c.tasks, rows, batch)
	fmt.Fprintf(out, "  minute%s\n", header)
	if err := n.live(func(minute int) error { return s.line(out, minute) }); err != nil {
		return err
	}
	return s.account(out, fmt.Sprintf(
		`  host-2 was cut off for 5 minutes: %d of its attempts were taken over
  the clock of host-3 was an hour ahead, and jumped back: %d of its attempts were taken over
  host-4 was stopped (SIGSTOP) for 5 minutes, and woken: %d of its attempts were taken over`,
		s.tally.Lost[hostName(1)], s.tally.Lost[hostName(2)], s.tally.Lost[hostName(3)]))
}

// network is the hosts, and what is between them and the database.
type network struct {
	*swarm
	at        string
	clock     fastClock
	world     net.Listener
	proxies   []*pgproxy.Proxy
	processes []*process
	ending    atomic.Bool
}

// process is one host.
type process struct {
	*exec.Cmd
	hold  io.Closer // while it is open, the host lives
	said  bytes.Buffer
	ended chan error
}

// begin starts the world, the proxies and the hosts.
func (n *network) begin() (err error) {
	if n.world, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	go func() { _ = http.Serve(n.world, n.whole) }()
	for i := range hosts {
		p, err := pgproxy.New(n.at)
		if err != nil {
			return err
		}
		n.proxies = append(n.proxies, p)
		h := hosting{
			Host: i, World: "http://" + n.world.Addr().String(), Database: p.URL(), Agents: n.config.agents, Tasks: n.config.tasks,
			Seed: n.seed, Cold: n.cold, Calm: n.calm, Times: int(n.clock.times), From: n.clock.from,
		}
		if i == 2 {
			h.Off, h.Right = time.Hour, n.befallAt()
		}
		if err := n.start(&h); err != nil {
			return err
		}
	}
	return nil
}

// start starts a host: this program again.
func (n *network) start(h *hosting) error {
	told, err := json.Marshal(h)
	if err != nil {
		return err
	}
	p := &process{Cmd: program.Again(context.WithoutCancel(n.ctx)), ended: make(chan error, 1)}
	p.Env = append(os.Environ(), hostVariable+"="+string(told))
	p.Stdout = &p.said
	if p.hold, err = p.StdinPipe(); err != nil {
		return err
	}
	if err := p.Start(); err != nil {
		return err
	}
	n.processes = append(n.processes, p)
	go func() {
		err := p.Wait()
		if !n.ending.Load() {
			n.failed(fmt.Errorf("%s has ended: %w", hostName(h.Host), err))
		}
		p.ended <- err
	}()
	return nil
}

// live lets everyone live until all tasks have ended, and hears what the hosts have counted.
func (n *network) live(look func(minute int) error) error {
	n.work.Go(func() { n.failed(n.lead.start(n.ctx)) })
	busy, over := context.WithCancel(n.ctx)
	defer over()
	n.work.Go(func() { n.failed(n.disturb(busy)) })
	err := n.untilOver(look, over)
	n.work.Wait()
	if err != nil {
		return err
	}
	n.ending.Store(true)
	for i, p := range n.processes {
		_ = p.hold.Close()
		if err := <-p.ended; err != nil {
			return fmt.Errorf("%s: %w", hostName(i), err)
		}
		t := newTally()
		if err := json.Unmarshal(p.said.Bytes(), &t); err != nil {
			return fmt.Errorf("%s has counted %q: %w", hostName(i), p.said.String(), err)
		}
		n.tally.add(&t)
	}
	return nil
}

// disturb cuts the second host off and stops the fourth, when that has something to do, and for
// so long that others notice.
func (n *network) disturb(ctx context.Context) error {
	name := hostName(3)
	if sleep(ctx, n.clock, n.befallAt()) {
		return nil
	}
	for len(n.whole.visited(name)) == 0 {
		if sleep(ctx, n.clock, 10*time.Second) {
			return nil
		}
	}
	n.whole.cut.Store(hostName(1))
	n.proxies[1].Hole(true, true)
	stopped := n.processes[3].Process
	if err := suspend(stopped); err != nil {
		return err
	}
	left := n.whole.visited(name)
	n.whole.vanish(name)
	sleep(ctx, n.clock, befallFor)
	n.proxies[1].Hole(false, false)
	n.whole.cut.Store("")
	err := n.taken(ctx, left)
	return errors.Join(err, wake(stopped))
}

// taken waits until one of some tasks is in progress no more.
func (n *network) taken(ctx context.Context, tasks []string) error {
	for len(tasks) > 0 {
		for _, id := range tasks {
			run, err := n.store.Load(n.ctx, id)
			if err != nil || run.State != string(TaskLifecycleStateInProgress) {
				return err
			}
		}
		if sleep(ctx, n.clock, 10*time.Second) {
			break
		}
	}
	return nil
}

// close ends what is still there.
func (n *network) close() {
	n.ending.Store(true)
	for _, p := range n.processes {
		_ = p.Process.Kill()
	}
	for _, p := range n.proxies {
		_ = p.Close()
	}
	if n.world != nil {
		_ = n.world.Close()
	}
}
