//go:build unix

package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// guarded is what a guardian does: it reads which groups there are until no one is
// left who could say so, and kills those that are left then. Numbers of groups are not
// given to others as long as a member lives. Of a process that was being started (>)
// when its engine was killed no one has said the group; where the system has /proc,
// it and what it has started are known by a mark in their environment.
const guarded = `trap '' HUP INT TERM
groups=' ' starting=
while read -r change id; do
	case $change in
	'>') starting=x$starting ;;
	+) starting=${starting#x} groups="$groups$id " ;;
	-) groups="${groups%% $id *} ${groups#* $id }" ;;
	'<') starting=${starting#x} ;;
	esac
done
for id in $groups; do kill -9 "-$id" 2>/dev/null; done
for round in 1 2 3 4 5; do
	[ "$starting" ] || exit
	starting=
	for process in /proc/[0-9]*; do
		grep -qsF "FSMC_GUARDIAN=$0" "$process/environ" && starting=x && kill -9 "${process#/proc/}" 2>/dev/null
	done
done
`

// guardian is a shell that outlives this process by a moment, so that the groups that
// it has started do not: a process that is killed with SIGKILL cannot end them itself,
// and the kernel's parent death signal, where there is one, is for children alone.
type guardian struct {
	mu     sync.Mutex
	lines  *os.File // its standard input, which ends with this process; nil without one
	pid    int      // no one waits for it, so that this stays its own
	groups map[int]bool
	starts int    // processes that are being started
	mark   string // stands in the environment of all that is started; settled by ready
	none   bool   // there is no shell here
}

var watchful guardian

// ready starts the guardian where that has not been done. It is no error that the system
// has no shell: then there is only what the kernel does.
func (g *guardian) ready() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.lines != nil || g.none {
		return nil
	}
	if g.mark == "" {
		g.mark = fmt.Sprintf("%d-%x.", os.Getpid(), time.Now().UnixNano())
	}
	return g.start()
}

func (g *guardian) start() error {
	in, lines, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("the guardian of its process group: %w", err)
	}
	defer in.Close()
	cmd := exec.Command("/bin/sh", "-c", guarded, g.mark)
	cmd.Stdin, cmd.Dir, cmd.Env = in, "/", []string{"PATH=/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		lines.Close()
		if g.none = errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission); g.none {
			return nil
		}
		return fmt.Errorf("the guardian of its process group: %w", err)
	}
	g.lines, g.pid = lines, cmd.Process.Pid
	for range g.starts + len(g.groups) {
		fmt.Fprintln(g.lines, ">")
	}
	for id := range g.groups {
		fmt.Fprintln(g.lines, "+", id)
	}
	return cmd.Process.Release()
}

// starting tells the guardian of a process before there is one. After it comes add or
// failed.
func (g *guardian) starting() {
	g.note(">", 0, func() { g.starts++ })
}

func (g *guardian) failed() {
	g.note("<", 0, func() { g.starts-- })
}

// add has the guardian kill a group when this process ends without removing it.
func (g *guardian) add(id int) {
	g.note("+", id, func() {
		g.starts--
		if g.groups == nil {
			g.groups = map[int]bool{}
		}
		g.groups[id] = true
	})
}

func (g *guardian) remove(id int) {
	g.note("-", id, func() { delete(g.groups, id) })
}

func (g *guardian) note(change string, id int, keep func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	keep()
	if g.lines == nil {
		return
	}
	_ = g.lines.SetWriteDeadline(time.Now().Add(time.Second)) // it may have been stopped
	if _, err := fmt.Fprintln(g.lines, change, id); err != nil {
		_ = syscall.Kill(g.pid, syscall.SIGKILL) // or it would kill all groups, now that its input ends
		g.lines.Close()
		g.lines = nil
		_ = g.start() // someone has killed it; where that fails the next process tries
	}
}
