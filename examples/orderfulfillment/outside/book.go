// Package outside is the world that an order meets: a payment provider, a
// warehouse, the books, a carrier and the mail, on loopback. They honour idempotency keys, and they
// fail as such services do: before the work, and after it.
package outside

import "slices"

// Kind is what sort of thing happened.
type Kind string

// The kinds of an Entry.
const (
	Reserved   Kind = "reserved"   // goods set aside
	Released   Kind = "released"   // and put back
	Authorized Kind = "authorized" // money set aside
	Voided     Kind = "voided"     // and let go
	Charged    Kind = "charged"
	Refunded   Kind = "refunded"
	Packed     Kind = "packed"   // a parcel, for the carrier
	Unpacked   Kind = "unpacked" // and its goods are on their shelf again
	Invoiced   Kind = "invoiced" // written into the books
	Credited   Kind = "credited" // and corrected there
	Booked     Kind = "booked"   // a place in the carrier's van
	Unbooked   Kind = "unbooked" // and given up
	Shipped    Kind = "shipped"
	Mailed     Kind = "mailed" // the confirmation
)

// Entry is one thing that has happened, and cannot be undone but by another.
type Entry struct {
	Seq    int // in the order in which it happened
	Kind   Kind
	Order  string
	Amount int64 // in cents, of money
	ID     string
	Key    string // the idempotency key under which it was asked for
}

// Entries is all that has really happened, whatever anyone was told, in order.
func (w *World) Entries() []Entry {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.book)
}

// net is how often a happened to the order and b did not undo it, with the last
// id of a. The caller holds the lock.
func (w *World) net(order string, did, undid Kind) (n int, id string) {
	for i := range w.book {
		switch e := &w.book[i]; {
		case e.Order != order:
		case e.Kind == did:
			n, id = n+1, e.ID
		case e.Kind == undid:
			n--
		}
	}
	return n, id
}
