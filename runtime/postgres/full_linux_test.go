package postgres_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestFullTablespace: a disk of which nothing is left takes no step that is acknowledged and not there; the error says why,
// and the same stores go on when there is room. It needs the right to mount.
func TestFullTablespace(t *testing.T) {
	disk := smallDisk(t, "16m")
	server := pgtest.NewServer(t)
	owner, err := os.Stat(server.Dir())
	must(t, err)
	tables, of := filepath.Join(disk, "tables"), owner.Sys().(*syscall.Stat_t)
	must(t, os.Mkdir(tables, 0o700))
	must(t, os.Chown(tables, int(of.Uid), int(of.Gid)))
	must(t, pgtest.Exec(t.Context(), server.URL(), fmt.Sprintf("CREATE TABLESPACE small LOCATION '%s'", tables)))
	url := server.URL() + "&default_tablespace=small"
	l := newLoad(t, url)
	s := l.stores[0]
	withTask(t, s, "t")
	for n := range faults(t, 2) {
		l.takes(20)
		fill := fillDisk(t, disk)
		refused := fullFor(t, s, fmt.Sprint("new", n))
		l.fails(10) // steps that are taken have a record each
		must(t, os.Remove(fill))
		l.takes(20)
		begin(t, s, refused)
	}
	claims(t, s, 1)
	l.ends()
	l.nothingLost(s, url)
}

// smallDisk mounts a file system of a size for the test.
func smallDisk(t *testing.T, size string) string {
	dir, err := os.MkdirTemp("", "fsmc-disk-")
	must(t, err)
	t.Cleanup(func() { must(t, os.Remove(dir)) })
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0755,size="+size); err != nil {
		fmt.Printf("A FULL DISK WAS NOT TESTED: %v\n", err)
		t.Skipf("a file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(dir, 0)) })
	return dir
}

// fillDisk leaves no room on a disk, and gives the file that takes it.
func fillDisk(t *testing.T, disk string) string {
	t.Helper()
	f, err := os.Create(filepath.Join(disk, "fill"))
	must(t, err)
	defer f.Close()
	if _, err := io.Copy(f, zeros{}); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return f.Name()
}

type zeros struct{}

func (zeros) Read(into []byte) (int, error) { return len(into), nil }

// fullFor starts runs until one is refused because there is no room, and says which. Until then there was room in the pages
// that the tables have.
func fullFor(t *testing.T, s *postgres.Store, name string) (refused string) {
	t.Helper()
	for n := 0; ; n++ {
		run := fmt.Sprint(name, "-", n)
		c := step(store.RunRow{Run: run, Machine: "Order", Definition: "h", State: "Idle", Status: machine.Running, Started: noon, Entered: noon})
		c.History[0].Record = fmt.Appendf(nil, `{"seq":1,"text":%q}`, strings.Repeat("x", 2000))
		err := s.Commit(t.Context(), c)
		if err == nil {
			if _, err := s.Load(t.Context(), run); err != nil {
				t.Fatalf("%s was acknowledged: %v", run, err)
			}
			continue
		}
		if !errors.Is(err, postgres.ErrServer) || errors.Is(err, store.ErrUnknown) || !strings.Contains(err.Error(), "No space left on device") {
			t.Errorf("the error of a full disk: %v", err)
		}
		if _, err := s.Load(t.Context(), run); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s was refused: %v", run, err)
		}
		return run
	}
}
