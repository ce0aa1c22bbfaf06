package outside

import "fmt"

// Request is what is asked for, of whatever service.
type Request struct {
	Order  string `json:"order"`
	Amount int64  `json:"amount,omitempty"`
	Method string `json:"method,omitempty"`
}

// Answer is what a service says. Code is an HTTP status: 200, or 402 and 409 for
// a refusal that stands under its key as a success does, or 503.
type Answer struct {
	Code     int    `json:"-"`
	ID       string `json:"id,omitempty"`
	Captured bool   `json:"captured,omitempty"`
	Why      string `json:"why,omitempty"`
}

// Cards that behave in their own way, as providers have them for tests.
const (
	CardGood         = "card_good"
	CardDeclined     = "card_declined"      // never authorized
	CardDeclinedOnce = "card_declined_once" // authorized the second time
	CardShort        = "card_short"         // authorized, and never charged
	CardClosed       = "card_closed"        // charged, and cannot be refunded
)

// Stock is what is special about some orders in the warehouse, and for the carrier.
type Stock struct {
	SoldOut map[string]bool // nothing to reserve
	Jammed  map[string]bool // cannot be packed until Repair
	NoVan   map[string]bool // cannot be fetched until Repair
}

// service does what it is asked for under a key. It is called with the book locked: it
// happens as a whole or not at all.
type service func(w *World, r Request, key string) Answer

// services is what can be asked for, by path.
var services = map[string]service{
	"reserve":   (*World).reserve,
	"release":   undoInHouse(Reserved, Released),
	"authorize": (*World).authorize,
	"capture":   (*World).capture,
	"settle":    (*World).settle,
	"refund":    (*World).refund,
	"pack":      (*World).pack,
	"unpack":    undoInHouse(Packed, Unpacked),
	"invoice":   once(Invoiced, Credited),
	"credit":    undo(Invoiced, Credited),
	"book":      (*World).reserveVan,
	"unbook":    undoInHouse(Booked, Unbooked),
	"mail":      func(w *World, r Request, key string) Answer { return w.happen(Mailed, r, key) },
}

func (w *World) reserve(r Request, key string) Answer {
	if w.stock.SoldOut[r.Order] {
		return Answer{Code: 409, Why: "out of stock"}
	}
	return w.happen(Reserved, r, key)
}

func (w *World) authorize(r Request, key string) Answer {
	w.asked[r.Order]++
	if r.Method == CardDeclined || r.Method == CardDeclinedOnce && w.asked[r.Order] == 1 {
		return Answer{Code: 402, Why: "card declined"}
	}
	w.cards[r.Order] = r.Method
	return w.happen(Authorized, r, key)
}

// capture charges whatever it is asked to: that a request is a repeat it knows
// by the key alone.
func (w *World) capture(r Request, key string) Answer {
	if n, _ := w.net(r.Order, Authorized, Voided); n == 0 {
		return Answer{Code: 402, Why: "no authorization stands"}
	}
	if w.cards[r.Order] == CardShort {
		return Answer{Code: 402, Why: "insufficient funds"}
	}
	return w.happen(Charged, r, key)
}

// settle voids what was only authorized.
func (w *World) settle(r Request, key string) Answer {
	if n, id := w.net(r.Order, Charged, Refunded); n > 0 {
		return Answer{Code: 200, ID: id, Captured: true}
	}
	if n, _ := w.net(r.Order, Authorized, Voided); n == 0 {
		return Answer{Code: 200}
	}
	return w.happen(Voided, r, key)
}

func (w *World) refund(r Request, key string) Answer {
	if w.cards[r.Order] == CardClosed {
		return Answer{Code: 503, Why: "the account is closed: refund it by hand"}
	}
	return w.happen(Refunded, r, key)
}

func (w *World) pack(r Request, key string) Answer {
	if w.stock.Jammed[r.Order] {
		return Answer{Code: 503, Why: "the packing line is jammed"}
	}
	return once(Packed, Unpacked)(w, r, key)
}

func (w *World) reserveVan(r Request, key string) Answer {
	if w.stock.NoVan[r.Order] {
		return Answer{Code: 503, Why: "the carrier has no van"}
	}
	return once(Booked, Unbooked)(w, r, key)
}

// once does what is not done already: who is asked looks at what there is for the order.
func once(did, undid Kind) service {
	return func(w *World, r Request, key string) Answer {
		if n, id := w.net(r.Order, did, undid); n > 0 {
			return Answer{Code: 200, ID: id}
		}
		return w.happen(did, r, key)
	}
}

// undo undoes what is done, if it is.
func undo(did, undid Kind) service {
	return func(w *World, r Request, key string) Answer {
		n, id := w.net(r.Order, did, undid)
		if n == 0 {
			return Answer{Code: 200, ID: id}
		}
		return w.happen(undid, r, key)
	}
}

// undoInHouse undoes what can be undone only until the goods have left the house.
func undoInHouse(did, undid Kind) service {
	return func(w *World, r Request, key string) Answer {
		if shipped, id := w.net(r.Order, Shipped, ""); shipped > 0 {
			return Answer{Code: 200, ID: id}
		}
		return undo(did, undid)(w, r, key)
	}
}

// happen writes down that something was done, under an id of its own.
func (w *World) happen(kind Kind, r Request, key string) Answer {
	id := fmt.Sprintf("%.2s_%04d", kind, len(w.book)+1)
	w.book = append(w.book, Entry{Seq: len(w.book) + 1, Kind: kind, Order: r.Order, Amount: r.Amount, ID: id, Key: key})
	return Answer{Code: 200, ID: id}
}

// Ship takes a parcel away. A message that has been seen before is known by its
// id, and nothing happens.
func (w *World) Ship(order, message string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.seen[message] {
		w.seen[message] = true
		w.happen(Shipped, Request{Order: order}, message)
	}
}

// Repair repairs the packing line, and lets the carrier fetch what it could not.
func (w *World) Repair() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.stock.Jammed)
	clear(w.stock.NoVan)
}
