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
	_, c := open(t, Config{Reliable: true, Stock: Stock{SoldOut: map[string]bool{"o": true}, Jammed: map[string]bool{"o": true}, NoVan: map[string]bool{"o": true}}})
	ctx := context.Background()
	var refused *RefusedError
	for _, call := range []struct{ service, method string }{
		{"reserve", ""}, {"authorize", CardDeclined}, {"capture", ""},
	} {
		if _, err := c.Call(ctx, call.service, "k", Request{Order: "o", Method: call.method}); !errors.As(err, &refused) {
			t.Errorf("%s: %v", call.service, err)
		}
	}
	for _, service := range []string{"pack", "book"} {
		if _, err := c.Call(ctx, service, "k", Request{Order: "o"}); !errors.Is(err, ErrDown) {
			t.Error(service, err)
		}
	}
}

// TestParts: warehouse, books and carrier look at what they have for an order. What is done is not
// done again, also under another key, and what is not done is not undone; nor is what has left.
func TestParts(t *testing.T) {
	w, c := open(t, Config{Reliable: true})
	for i, step := range []struct {
		service string
		want    int // entries in the book after it
	}{
		{"unpack", 0}, {"pack", 1}, {"pack", 1}, {"invoice", 2}, {"invoice", 2}, {"book", 3}, {"book", 3},
		{"unbook", 4}, {"unbook", 4}, {"credit", 5}, {"unpack", 6}, {"unpack", 6}, {"pack", 7}, {"book", 8},
	} {
		if _, err := c.Call(t.Context(), step.service, fmt.Sprint(i), Request{Order: "o"}); err != nil {
			t.Fatal(err)
		}
		if got := len(w.Entries()); got != step.want {
			t.Fatalf("%d. %s: %d entries, want %d", i, step.service, got, step.want)
		}
	}
	w.Ship("o", "m")
	for _, service := range []string{"unbook", "unpack"} {
		if _, err := c.Call(t.Context(), service, "late", Request{Order: "o"}); err != nil || len(w.Entries()) != 9 {
			t.Errorf("%s undoes what has left the house: %v", service, err)
		}
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
