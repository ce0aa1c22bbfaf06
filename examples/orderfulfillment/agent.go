package main

import (
	"context"
	"errors"
	"slices"

	"github.com/fsmc-dev/fsmc/runtime"
)

// agent advances the orders of a few customers. Two have each order: both push
// it on, and one of them also does what the customer wishes.
type agent struct {
	name     string
	runs     OrderFulfillmentRuns
	customer bool // heeds the customers
	month    bool // a month has passed: they send things back

	told map[string]bool // orders whose cancellation has been passed on
	races
}

// races counts what came of the events that were sent.
type races struct{ taken, moved, refused int }

func (r *races) add(o races) {
	r.taken += o.taken
	r.moved += o.moved
	r.refused += o.refused
}

// sweep looks at each order once and does what there is to do. It reports
// whether anything moved or moves.
func (a *agent) sweep(ctx context.Context, orders []fate) (moving bool, err error) {
	for _, f := range orders {
		run, err := a.runs.Get(ctx, f.id)
		if err != nil {
			return false, err
		}
		err = a.act(ctx, f, run)
		var rejected *runtime.Rejected
		switch {
		case err == nil:
			a.taken++
		case errors.Is(err, errRests):
			moving = moving || len(run.Activities) > 0
			continue
		case errors.Is(err, runtime.ErrConflict):
			a.moved++ // the other one was first
		case errors.As(err, &rejected):
			a.refused++
		default:
			return false, err
		}
		moving = true
	}
	return moving, nil
}

// errRests says that an agent has nothing to do for an order now.
var errRests = errors.New("nothing to do")

// act does the next thing for an order as it was read. If the order has moved
// on since, it is refused, and nothing happens.
func (a *agent) act(ctx context.Context, f fate, run OrderFulfillmentRun) error {
	if a.customer && f.regrets && run.State == f.regret && !a.told[f.id] {
		a.told[f.id] = true
		return a.cancel(ctx, f)
	}
	as := []runtime.SendOption{runtime.IfSeq(run.Seq), runtime.WithActor(a.name)}
	err := errRests
	switch run.State {
	case OrderFulfillmentStateUnpaidCreated:
		_, err = a.runs.Send(ctx, f.id, OrderFulfillmentReserveInventory{}, as...)
	case OrderFulfillmentStateUnpaidInventoryReserved:
		_, err = a.runs.Send(ctx, f.id, OrderFulfillmentAuthorizePayment{PaymentMethod: f.card}, as...)
	case OrderFulfillmentStateUnpaidPaymentAuthorized:
		_, err = a.runs.Send(ctx, f.id, OrderFulfillmentCapturePayment{}, as...)
	case OrderFulfillmentStatePaidPaymentCaptured:
		_, err = a.runs.Send(ctx, f.id, OrderFulfillmentTriggerFulfillment{}, as...)
	case OrderFulfillmentStatePaidFulfillmentTriggered:
		_, err = a.runs.Send(ctx, f.id, OrderFulfillmentMarkShipped{Tracking: "TRK-" + f.id}, as...)
	case OrderFulfillmentStatePaidShipped:
		_, err = a.runs.Send(ctx, f.id, OrderFulfillmentMarkDelivered{}, as...)
	case OrderFulfillmentStatePaidDelivered:
		if f.returns && a.month {
			_, err = a.runs.Send(ctx, f.id, OrderFulfillmentRefundOrder{Reason: "sent back"}, as...)
		}
	}
	return err
}

// cancel passes a cancellation on, wherever the order is by now. If it is too
// late, the refusal lists what is allowed, and a refund may be among it.
func (a *agent) cancel(ctx context.Context, f fate) error {
	as := runtime.WithActor(a.name)
	_, err := a.runs.Send(ctx, f.id, OrderFulfillmentCancelOrder{Reason: "changed my mind"}, as)
	var rejected *runtime.Rejected
	if errors.As(err, &rejected) && slices.Contains(rejected.Allowed, "RefundOrder") {
		a.refused++
		_, err = a.runs.Send(ctx, f.id, OrderFulfillmentRefundOrder{Reason: "changed my mind"}, as)
	}
	return err
}
