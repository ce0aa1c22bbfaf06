package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/fsmc-dev/fsmc/examples/orderfulfillment/outside"
	"github.com/fsmc-dev/fsmc/runtime"
)

// people are whom the machine writes to: managers, who answer by events, and
// the carrier. A message may come twice; they know it by its id.
type people struct {
	engine *runtime.Engine
	world  *outside.World
	fates  map[string]fate
}

// deliver is the outbox.
func (p *people) deliver(ctx context.Context, m *runtime.Message) error {
	switch m.Event {
	case "ApprovalWanted":
		return p.decide(ctx, m, approves, denies)
	case "ApprovalReminder":
		return p.decide(ctx, m, approvesLate)
	case "OrderShipped":
		var shipped OrderFulfillmentOrderShipped
		if err := json.Unmarshal(m.Data, &shipped); err != nil {
			return err
		}
		p.world.Ship(shipped.Order, m.ID)
	}
	return nil
}

// decide lets the order's manager answer, if they are one of those who do now.
// The message's id makes the answer count once; one that comes too late is
// refused, and there is nothing more to do.
func (p *people) decide(ctx context.Context, m *runtime.Message, who ...verdict) error {
	runs := OrderFulfillmentRuns{Engine: p.engine}
	for _, v := range who {
		if p.fates[m.Run].manager != v {
			continue
		}
		var answer OrderFulfillmentSendable = OrderFulfillmentApprovePayment{Approver: "grace"}
		if v == denies {
			answer = OrderFulfillmentDenyPayment{Approver: "grace", Reason: "too much"}
		}
		_, err := runs.Send(ctx, m.Run, answer, runtime.WithEventID(m.ID))
		var rejected *runtime.Rejected
		if errors.As(err, &rejected) {
			return nil
		}
		return err
	}
	return nil
}
