package main

import (
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/examples/orderfulfillment/outside"
	"github.com/fsmc-dev/fsmc/runtime"
)

// facts is what the book says of one order.
type facts struct {
	happened map[outside.Kind]int
	paid     int            // Seq of the first charge; 0 for none
	shipped  int            // Seq of the first shipment; 0 for none
	stands   []outside.Kind // what parts have done and not undone, in the order in which they did it
	undone   bool           // something of it was undone
	tangled  bool           // and not the last thing that stood
}

// undoes are what parts do, by what undoes it.
var undoes = map[outside.Kind]outside.Kind{
	outside.Unpacked: outside.Packed, outside.Credited: outside.Invoiced, outside.Unbooked: outside.Booked,
}

// tell keeps what parts have done for the order, and sees that the last thing is undone first.
func (f *facts) tell(kind outside.Kind) {
	switch kind {
	case outside.Packed, outside.Invoiced, outside.Booked:
		f.stands = append(f.stands, kind)
	case outside.Shipped: // parcel and van are gone, and nothing of them can be undone
		f.stands = slices.DeleteFunc(f.stands, func(k outside.Kind) bool { return k != outside.Invoiced })
	case outside.Unpacked, outside.Credited, outside.Unbooked:
		f.undone = true
		last := len(f.stands) - 1
		if last < 0 || f.stands[last] != undoes[kind] {
			f.tangled = true
			return
		}
		f.stands = f.stands[:last]
	}
}

// complete reports whether each part has been told, and not told the contrary.
func (f *facts) complete() bool {
	for undid, did := range undoes {
		if f.happened[did]-f.happened[undid] != 1 {
			return false
		}
	}
	return true
}

// byOrder sorts the book.
func byOrder(entries []outside.Entry) map[string]*facts {
	all := map[string]*facts{}
	for _, e := range entries {
		f := all[e.Order]
		if f == nil {
			f = &facts{happened: map[outside.Kind]int{}}
			all[e.Order] = f
		}
		f.happened[e.Kind]++
		f.tell(e.Kind)
		switch {
		case e.Kind == outside.Charged && f.paid == 0:
			f.paid = e.Seq
		case e.Kind == outside.Shipped && f.shipped == 0:
			f.shipped = e.Seq
		}
	}
	return all
}

// audit holds the book against the runs. It believes neither.
func audit(rows []runtime.RunRow, entries []outside.Entry) []program.Promise {
	book := byOrder(entries)
	var charged, twice, shipped, unpaid, given, owed, lost, mailedTwice, kept, wrong, half, undone, tangled int
	for _, f := range book {
		charged += min(f.happened[outside.Charged], 1)
		twice += max(f.happened[outside.Charged]-1, 0)
		mailedTwice += max(f.happened[outside.Mailed]-1, 0)
		shipped += min(f.happened[outside.Shipped], 1)
		if f.undone {
			undone++
		}
		if f.tangled {
			tangled++
		}
		if f.shipped > 0 && (f.paid == 0 || f.paid > f.shipped) {
			unpaid++
		}
	}
	for i := range rows {
		f := book[rows[i].Run]
		if f == nil {
			f = &facts{}
		}
		money := f.happened[outside.Charged] - f.happened[outside.Refunded]
		held := f.happened[outside.Authorized] - f.happened[outside.Voided]
		goods := f.happened[outside.Reserved] - f.happened[outside.Released] - f.happened[outside.Shipped]
		switch rows[i].State {
		case string(OrderFulfillmentStateCancelled), string(OrderFulfillmentStateReturned):
			given++
			if money != 0 || goods > 0 || f.happened[outside.Charged] == 0 && held != 0 {
				owed++
			}
			if len(f.stands) > 0 {
				half++
			}
		case string(OrderFulfillmentStateClosed):
			kept++
			if money != 1 || f.happened[outside.Shipped] != 1 {
				wrong++
			}
			if !f.complete() {
				half++
			}
		case string(OrderFulfillmentStateNeedsAttention):
		default:
			lost++
		}
	}
	return []program.Promise{
		{Kept: twice == 0, Text: fmt.Sprintf("%d orders charged, %d of them more than once", charged, twice)},
		{Kept: unpaid == 0, Text: fmt.Sprintf("%d orders shipped, %d of them before they were paid", shipped, unpaid)},
		{Kept: owed == 0, Text: fmt.Sprintf("%d orders cancelled or sent back, %d of them with money or goods still held", given, owed)},
		{Kept: wrong == 0, Text: fmt.Sprintf("%d orders closed, %d of them not paid and shipped exactly once", kept, wrong)},
		{Kept: half == 0, Text: fmt.Sprintf("%d orders at their end, %d of them known to some of warehouse, books and carrier only", given+kept, half)},
		{Kept: tangled == 0, Text: fmt.Sprintf("%d orders undone by warehouse, books and carrier, %d of them not in the reverse order", undone, tangled)},
		{Kept: mailedTwice == 0, Text: fmt.Sprintf("%d confirmations sent a second time", mailedTwice)},
		{Kept: lost == 0, Text: fmt.Sprintf("%d orders left where nobody looks", lost)},
	}
}
