package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/fsmc-dev/fsmc/examples/orderfulfillment/outside"
)

// fate is what will befall one order, decided by the seed before it starts.
type fate struct {
	id      string
	amount  int64 // in cents
	card    string
	soldOut bool
	jammed  bool // cannot be packed until the line is repaired
	noVan   bool // cannot be fetched until the carrier has a van again
	regret  OrderFulfillmentState
	regrets bool // the customer cancels when the order is seen in regret
	returns bool // and sends it back after a month
	manager verdict
}

// verdict is what a manager does about a large amount.
type verdict int

const (
	approves verdict = iota
	denies
	approvesLate // when reminded
	forgets
)

// large is the amount above which a manager is asked, as the machine has it.
const large = 50_000

// fates decides about n orders.
func fates(n int, seed uint64) []fate {
	all := make([]fate, n)
	for i := range all {
		all[i] = newFate(i, rand.New(rand.NewPCG(seed, uint64(i))))
	}
	// What the story tells of is there with every seed: the first order goes
	// well, and each of the others has one thing that goes wrong.
	told := []fate{
		{amount: 14_999, card: outside.CardGood},
		{amount: 14_999, card: outside.CardShort},
		{amount: 14_999, card: outside.CardClosed, returns: true},
		{amount: 14_999, card: outside.CardDeclined},
		{amount: 120_000, card: outside.CardGood, manager: approves},
		{amount: 120_000, card: outside.CardGood, manager: denies},
		{amount: 120_000, card: outside.CardGood, manager: approvesLate},
		{amount: 120_000, card: outside.CardGood, manager: forgets},
		{amount: 2_500, card: outside.CardGood, jammed: true},
		{amount: 2_500, card: outside.CardGood, noVan: true},
	}
	for i, f := range told[:min(n, len(told))] {
		f.id = all[i].id
		all[i] = f
	}
	return all
}

func newFate(i int, r *rand.Rand) fate {
	f := fate{id: fmt.Sprintf("order-%04d", i+1), amount: 500 + r.Int64N(large-500), card: outside.CardGood}
	switch p := r.IntN(100); {
	case p < 4:
		f.card = outside.CardDeclined
	case p < 12:
		f.card = outside.CardDeclinedOnce
	case p < 16:
		f.card = outside.CardShort
	case p < 18:
		f.card, f.returns = outside.CardClosed, true
	}
	f.soldOut = r.IntN(100) < 4
	f.jammed = r.IntN(100) < 6
	if r.IntN(100) < 20 {
		f.regrets, f.regret = true, regrets[r.IntN(len(regrets))]
	}
	f.regrets = f.regrets && f.card != outside.CardClosed
	f.returns = f.returns || r.IntN(100) < 12
	if f.card == outside.CardGood && r.IntN(100) < 20 {
		f.amount = large + 1 + r.Int64N(200_000)
		f.manager = verdict(r.IntN(4))
	}
	f.noVan = r.IntN(100) < 6
	return f
}

// regrets is where a customer may change their mind. In the second the answer
// waits until the charge is known, in the last it comes too late.
var regrets = []OrderFulfillmentState{
	OrderFulfillmentStateUnpaidInventoryReserved,
	OrderFulfillmentStateCapturingPayment,
	OrderFulfillmentStatePaidPaymentCaptured,
	OrderFulfillmentStatePaidFulfillmentTriggered,
	OrderFulfillmentStatePaidShipped,
}

// stock is what the warehouse and the carrier must know of them.
func stock(all []fate) outside.Stock {
	s := outside.Stock{SoldOut: map[string]bool{}, Jammed: map[string]bool{}, NoVan: map[string]bool{}}
	for _, f := range all {
		s.SoldOut[f.id], s.Jammed[f.id], s.NoVan[f.id] = f.soldOut, f.jammed, f.noVan
	}
	return s
}
