package outside

import (
	"encoding/json"
	"hash/fnv"
	"io"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
)

// Config says how the world is made.
type Config struct {
	Seed  uint64
	Stock Stock
	// Forgetful services ignore idempotency keys. It is for seeing what they are
	// there for.
	Forgetful bool
	// Reliable services never fail by themselves.
	Reliable bool
}

// World is all services behind one listener.
type World struct {
	URL string

	server *http.Server
	config Config
	stock  Stock

	mu    sync.Mutex // so that what happens and what is known of it move together
	book  []Entry
	kept  map[string]Answer // by service and key
	calls map[string]int    // by service and order: for the faults
	asked map[string]int    // authorizations, by order
	cards map[string]string // by order
	seen  map[string]bool   // messages
	tally Tally
}

// Tally counts what was asked of the world.
type Tally struct {
	Requests int
	Repeats  int // answered from what is kept under the key
	Before   int // failed before the work
	After    int // failed after it: the caller does not know that it is done
	Captures int // requests to charge, repeats included
}

// Start opens the services on a free loopback port.
func Start(c Config) (w *World, err error) {
	w = &World{
		config: c,
		stock:  Stock{SoldOut: maps.Clone(c.Stock.SoldOut), Jammed: maps.Clone(c.Stock.Jammed), NoVan: maps.Clone(c.Stock.NoVan)},
		kept:   map[string]Answer{}, calls: map[string]int{}, asked: map[string]int{},
		cards: map[string]string{}, seen: map[string]bool{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /{service}", w.serve)
	w.URL, w.server, err = program.Serve(mux)
	return w, err
}

// Close stops listening.
func (w *World) Close() error { return w.server.Close() }

// Tally is what has been asked so far.
func (w *World) Tally() Tally {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tally
}

func (w *World) serve(rw http.ResponseWriter, req *http.Request) {
	name := req.PathValue("service")
	var r Request
	if err := json.NewDecoder(io.LimitReader(req.Body, 1<<16)).Decode(&r); err != nil || services[name] == nil {
		http.Error(rw, "no such service, or no such request", http.StatusBadRequest)
		return
	}
	answer, fault := w.take(name, r, req.Header.Get("Idempotency-Key"))
	time.Sleep(latency)
	switch {
	case fault == dropped:
		panic(http.ErrAbortHandler) // the connection closes without an answer
	case fault == broken:
		answer = Answer{Code: http.StatusInternalServerError, Why: "internal error"}
	}
	rw.WriteHeader(answer.Code)
	json.NewEncoder(rw).Encode(answer) //nolint:errcheck // the caller is gone
}

// latency keeps a request under way for a moment, so that its caller can be
// killed after the work and before the answer.
const latency = 15 * time.Millisecond

// take does what is asked, once for each key, unless it fails first.
func (w *World) take(name string, r Request, key string) (Answer, fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tally.Requests++
	if name == "capture" {
		w.tally.Captures++
	}
	fault := w.draw(name, r.Order)
	if fault == refused {
		w.tally.Before++
		return Answer{Code: http.StatusServiceUnavailable, Why: "overloaded"}, none
	}
	if fault != none {
		w.tally.After++
	}
	under := name + " " + key
	if kept, ok := w.kept[under]; ok && !w.config.Forgetful {
		w.tally.Repeats++
		return kept, fault
	}
	answer := services[name](w, r, key)
	if answer.Code != http.StatusServiceUnavailable {
		w.kept[under] = answer
	}
	return answer, fault
}

// A fault is how a call fails by itself.
type fault int

const (
	none    fault = iota
	refused       // before the work
	broken        // after it, with an error
	dropped       // after it, without a word
)

// draw decides by the seed, the service, the order, and how many calls it has
// had. After two faults in a row comes none: what a machine retries three times
// is not to fail by chance alone.
func (w *World) draw(name, order string) fault {
	call := name + " " + order
	w.calls[call]++
	if w.config.Reliable || w.calls[call]%3 == 0 {
		return none
	}
	h := fnv.New64a()
	io.WriteString(h, call+" "+strconv.Itoa(w.calls[call])+" "+strconv.FormatUint(w.config.Seed, 10)) //nolint:errcheck // a hash takes all
	switch h.Sum64() >> 7 % 20 {
	case 0:
		return refused
	case 1, 2:
		return broken
	case 3, 4:
		return dropped
	}
	return none
}
