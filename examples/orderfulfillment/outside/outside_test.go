package outside

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
)

func open(t *testing.T, c Config) (*World, *Client) {
	t.Helper()
	w, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w, &Client{URL: w.URL, HTTP: http.DefaultClient}
}

// count is how often something happened.
func count(w *World, kind Kind) (n int) {
	for _, e := range w.Entries() {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// TestKeys: a request under a key that has been used gives the first answer and
// does nothing; one under another key is another request.
func TestKeys(t *testing.T) {
	w, c := open(t, Config{Reliable: true})
	ctx := context.Background()
	r := Request{Order: "o", Amount: 5, Method: CardGood}
	if _, err := c.Call(ctx, "authorize", "a", r); err != nil {
		t.Fatal(err)
	}
	first, err := c.Call(ctx, "capture", "k", r)
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.Call(ctx, "capture", "k", r)
	if err != nil || again != first || count(w, Charged) != 1 {
		t.Errorf("%+v after %+v, %v; charged %d times", again, first, err, count(w, Charged))
	}
	if _, err := c.Call(ctx, "capture", "other", r); err != nil || count(w, Charged) != 2 {
		t.Errorf("under another key: %v; charged %d times", err, count(w, Charged))
	}
}

// TestFailsAfterTheWork: some calls fail although the money has moved, and the
// same key tells what came of them.
func TestFailsAfterTheWork(t *testing.T) {
	w, c := open(t, Config{Seed: 3})
	ctx := context.Background()
	after := 0
	for i := range 60 {
		key := fmt.Sprint(i)
		before := count(w, Mailed)
		_, err := c.Call(ctx, "mail", key, Request{Order: key})
		if err == nil || count(w, Mailed) == before {
			continue
		}
		after++
		for try := 0; err != nil; try++ {
			if try == 3 {
				t.Fatalf("order %d fails without end: %v", i, err)
			}
			_, err = c.Call(ctx, "mail", key, Request{Order: key})
		}
		if count(w, Mailed) != before+1 {
			t.Fatalf("order %d was mailed again", i)
		}
	}
	if got := w.Tally().After; after == 0 || got < after {
		t.Errorf("%d calls failed after the work, the tally has %d", after, got)
	}
}

// TestRefusals stand under their key, and are no failures.
func TestRefusals(t *testing.T) {
	_, c := open(t, Config{Reliable: true, Stock: Stock{SoldOut: map[string]bool{"o": true}, Jammed: map[string]bool{"o": true}}})
	ctx := context.Background()
	var refused *RefusedError
	for _, call := range []struct{ service, method string }{
		{"reserve", ""}, {"authorize", CardDeclined}, {"capture", ""},
	} {
		if _, err := c.Call(ctx, call.service, "k", Request{Order: "o", Method: call.method}); !errors.As(err, &refused) {
			t.Errorf("%s: %v", call.service, err)
		}
	}
	if _, err := c.Call(ctx, "hand", "k", Request{Order: "o"}); !errors.Is(err, ErrDown) {
		t.Error(err)
	}
}

// TestShip: a message that comes again ships nothing again.
func TestShip(t *testing.T) {
	w, _ := open(t, Config{})
	w.Ship("o", "m1")
	w.Ship("o", "m1")
	if n := count(w, Shipped); n != 1 {
		t.Errorf("shipped %d times", n)
	}
}
