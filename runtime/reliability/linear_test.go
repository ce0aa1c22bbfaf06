//go:build unix && cgo

package reliability

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/anishathalye/porcupine"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Several processes send to the same runs, and keep of each send when it began
// and ended, and what came of it. porcupine then looks for an order of all sends
// to a run that fits those times, and in which the pure step gives each sender
// what it was given. (Herlihy and Wing, "Linearizability", 1990.)

// bidding is one send, in the words of those who check it.
type bidding struct {
	Run    string
	Client int
	Begun  int64 // by the common counter
	Ended  int64 // 0 where the process died before it knew

	Event string
	Data  string
	ID    string // empty for none
	IfSeq int64

	Outcome string // "taken", "duplicate", "conflict", "finished", "refused"
	Seq     int64  // of taken
	State   string
	Values  string
}

// tick is a counter that processes share: it orders what happens in all of them,
// whatever their clocks say.
type tick struct{ n *atomic.Int64 }

func openTick(path string) (tick, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return tick{}, err
	}
	defer f.Close()
	if err := f.Truncate(8); err != nil {
		return tick{}, err
	}
	page, err := syscall.Mmap(int(f.Fd()), 0, 8, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return tick{}, err
	}
	return tick{(*atomic.Int64)(unsafe.Pointer(&page[0]))}, nil
}

const (
	bidders = 3   // goroutines of a process
	bids    = 150 // of each, shared by the processes: with more of them at once, porcupine takes far longer
	lots    = 4   // runs
)

// bid is a child that sends to all runs of dir.
func bid(dir, name string) error {
	name, processes, _ := strings.Cut(name, " of ")
	n, err := strconv.Atoi(processes)
	if err != nil {
		return err
	}
	s, err := auctions.open(dir, name, 0)
	if err != nil {
		return err
	}
	defer s.close()
	clock, err := openTick(filepath.Join(dir, "tick"))
	if err != nil {
		return err
	}
	log, err := openLedger(filepath.Join(dir, "bids"))
	if err != nil {
		return err
	}
	fmt.Println("begun")
	var all sync.WaitGroup
	for range bidders {
		all.Go(func() {
			client := int(clock.n.Add(1))
			for range bids / n {
				b := someBid(client)
				b.Begun = clock.n.Add(1)
				log.note(encode(&b))
				v, err := s.Send(context.Background(), b.Run, runtime.ExternalEvent{
					Name: b.Event, Data: json.RawMessage(b.Data), ID: b.ID, IfSeq: b.IfSeq})
				b.Ended = clock.n.Add(1)
				b.came(v, err)
				log.note(encode(&b))
			}
		})
	}
	all.Wait()
	return nil
}

func encode(b *bidding) string {
	text, err := json.Marshal(b)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func someBid(client int) bidding {
	b := bidding{Run: fmt.Sprintf("lot-%d", rand.IntN(lots)), Client: client, Data: "{}"}
	switch p := rand.IntN(10); {
	case p < 5:
		b.Event, b.Data = "Bid", fmt.Sprintf(`{"amount": %d}`, 1+rand.IntN(3))
	case p < 8:
		b.Event = "Call"
	default:
		b.Event = "Reopen"
	}
	if rand.IntN(2) == 0 {
		b.ID = fmt.Sprintf("%s-%d", b.Event, rand.IntN(20)) // which others may send too
	}
	if rand.IntN(4) == 0 {
		b.IfSeq = 1 + rand.Int64N(60)
	}
	return b
}

func (b *bidding) came(v runtime.View, err error) {
	switch {
	case err == nil:
		b.Outcome, b.Seq, b.State, b.Values = "taken", v.Seq, v.State, string(v.Data)
	case errors.Is(err, runtime.ErrDuplicate):
		b.Outcome = "duplicate"
	case errors.Is(err, runtime.ErrConflict):
		b.Outcome = "conflict"
	case errors.Is(err, runtime.ErrFinished):
		b.Outcome = "finished"
	case isRefusal(err):
		b.Outcome = "refused"
	default:
		panic(err)
	}
}

// lot is a run as the model has it: a snapshot, and the answers to event ids.
type lot struct {
	snapshot *machine.Snapshot
	answers  map[string]*bidding
}

// sequential is what one process alone would see.
func sequential(m *model) porcupine.Model {
	return porcupine.Model{
		Init: func() any {
			s, _, _, err := m.Advance(m.NewSnapshot("lot", 0), machine.Input{Kind: machine.StartInput}, time.Unix(0, 0).UTC(), nil)
			if err != nil {
				panic(err)
			}
			return lot{snapshot: s}
		},
		Step: func(state, input, output any) (bool, any) {
			l, want := state.(lot), output.(*bidding)
			next, got := l.send(m, input.(*bidding))
			same := want.Ended == 0 || // it is not known what came of it
				got.Outcome == want.Outcome && got.Seq == want.Seq && got.State == want.State && got.Values == want.Values
			return same, next
		},
		Equal: func(a, b any) bool {
			x, y := a.(lot), b.(lot)
			return slices.Equal(m.EncodeSnapshot(x.snapshot), m.EncodeSnapshot(y.snapshot)) && maps.Equal(x.answers, y.answers)
		},
	}
}

// send is the rule: an accepted id is answered as before, or refused with another
// event, then the sequence number must be the expected one, then the pure step
// decides.
func (l lot) send(m *model, b *bidding) (lot, bidding) {
	if answer := l.answers[b.ID]; b.ID != "" && answer != nil {
		if answer.Event != b.Event || answer.Data != b.Data {
			return l, bidding{Outcome: "duplicate"}
		}
		return l, *answer
	}
	if b.IfSeq != 0 && b.IfSeq != l.snapshot.Seq {
		return l, bidding{Outcome: "conflict"}
	}
	if l.snapshot.Status == runtime.Finished {
		return l, bidding{Outcome: "finished"}
	}
	event := slices.IndexFunc(m.Definition().Events, func(e machine.Event) bool { return e.Name == b.Event })
	data, err := m.DecodePayload(event, json.RawMessage(b.Data))
	if err != nil {
		panic(err)
	}
	in := machine.Input{Kind: machine.EventInput, Event: event, Data: data, ID: b.ID}
	s, _, _, err := m.Advance(l.snapshot, in, time.Unix(0, 0).UTC(), nil)
	if err != nil {
		return l, bidding{Outcome: "refused"}
	}
	got := &bidding{Event: b.Event, Data: b.Data, Outcome: "taken", Seq: s.Seq, State: m.Definition().States[s.State].Path, Values: string(m.EncodeData(s))}
	next := lot{s, l.answers}
	if b.ID != "" {
		next.answers = maps.Clone(l.answers)
		if next.answers == nil {
			next.answers = map[string]*bidding{}
		}
		next.answers[b.ID] = got
	}
	return next, *got
}

// TestLinearizability has three processes send to four runs, and kills one of
// them in the middle of it. FSMC_ROUNDS is how often.
func TestLinearizability(t *testing.T) {
	sends := linearizable(t, onSQLite, 3, count(t, "FSMC_ROUNDS", 2))
	t.Logf("figure: concurrent sends from three processes = %d", sends)
}

// TestLinearizabilityOnPostgres has eight do that.
func TestLinearizabilityOnPostgres(t *testing.T) {
	sends := linearizable(t, onPostgres, 8, count(t, "FSMC_ROUNDS", 1))
	t.Logf("figure: concurrent sends from eight processes = %d", sends)
}

// linearizable looks at some rounds of sends from several processes, and says how many there were.
func linearizable(t *testing.T, on place, processes, rounds int) (sends int) {
	outcomes := map[string]int{}
	for range rounds {
		dir := on.dir(t)
		byRun := auctionOff(t, dir, processes)
		for run, operations := range byRun {
			if !porcupine.CheckOperations(sequential(auction()), operations) {
				t.Errorf("no order of the %d sends to %s gives what was answered", len(operations), run)
			}
			sends += len(operations)
			for i := range operations {
				outcomes[operations[i].Output.(*bidding).Outcome]++
			}
		}
		unanswered(t, byRun["lot-0"])
		deserted(t, dir)
		must(t, soundIn(t, dir))
	}
	if outcomes["taken"] == 0 || outcomes["refused"] == 0 || outcomes["conflict"] == 0 {
		t.Errorf("outcomes are %v: the test sees too little", outcomes)
	}
	t.Logf("their outcomes: %v", outcomes)
	return sends
}

// unanswered is the test of the test: an answer that was not given does not fit.
func unanswered(t *testing.T, operations []porcupine.Operation) {
	t.Helper()
	i := slices.IndexFunc(operations, func(o porcupine.Operation) bool { return o.Output.(*bidding).Outcome == "taken" })
	if i < 0 {
		return
	}
	wrong := *operations[i].Output.(*bidding)
	wrong.Seq += 1000
	operations[i].Output = &wrong
	if porcupine.CheckOperations(sequential(auction()), operations[:i+1]) {
		t.Error("an answer that was not given is taken for one: the test sees nothing")
	}
}

// auctionOff gives the sends to each run, in the order in which they began.
func auctionOff(t *testing.T, dir string, n int) map[string][]porcupine.Operation {
	t.Helper()
	s, err := auctions.open(dir, "seller", 0)
	must(t, err)
	defer s.close()
	for i := range lots {
		must(t, errOf(s.Start(t.Context(), "Auction", fmt.Sprintf("lot-%d", i), nil)))
	}
	var processes []*process
	for i := range n {
		processes = append(processes, spawn(t, "bid", dir, fmt.Sprintf("b%d of %d", i, n), ""))
	}
	time.Sleep(rand.N(40 * time.Millisecond))
	processes[n-1].signal(t, syscall.SIGKILL) // the one that has begun last
	for _, p := range processes {
		p.ended(t)
	}
	byRun := map[string][]porcupine.Operation{}
	for _, b := range readBids(t, filepath.Join(dir, "bids")) {
		end := b.Ended
		if end == 0 {
			end = math.MaxInt64
		}
		byRun[b.Run] = append(byRun[b.Run], porcupine.Operation{ClientId: b.Client, Input: b, Call: b.Begun, Output: b, Return: end})
	}
	return byRun
}

// readBids gives each send once, with its end where that is known.
func readBids(t *testing.T, path string) []*bidding {
	t.Helper()
	lines, err := ledgerLines(path)
	must(t, err)
	byStart := map[int64]*bidding{}
	for _, words := range lines {
		b := new(bidding)
		must(t, json.Unmarshal([]byte(words[0]), b))
		byStart[b.Begun] = b
	}
	return slices.SortedFunc(maps.Values(byStart), func(a, b *bidding) int { return cmp.Compare(a.Begun, b.Begun) })
}
