package main

import (
	"context"
	"errors"

	"github.com/fsmc-dev/fsmc/examples/orderfulfillment/outside"
	"github.com/fsmc-dev/fsmc/runtime"
)

// services are the activities. Each is one request under the key of its
// execution; a worker may be killed before it, in the middle, or after it.
type services struct{ outside.Client }

var (
	_ OrderFulfillmentActivities = (*services)(nil)
	_ NoticeActivities           = (*services)(nil)
	_ RecallActivities           = (*services)(nil)
	_ RefundActivities           = (*services)(nil)
	_ SettlementActivities       = (*services)(nil)
	_ ReleaseActivities          = (*services)(nil)
)

// register lets engine run orders, and their child runs, with the activities of s.
func register(engine *runtime.Engine, s *services) error {
	return errors.Join(RegisterNotice(engine, s), RegisterRecall(engine, s), RegisterNotification(engine),
		RegisterRefund(engine, s), RegisterSettlement(engine, s), RegisterRelease(engine, s),
		RegisterOrderFulfillment(engine, s))
}

// ask sends a request under the key of its execution.
func (s *services) ask(ctx context.Context, a *runtime.Attempt, service string, r outside.Request) (outside.Answer, error) {
	return s.askAs(ctx, a.Key, service, r)
}

// askAs sends a request under a key. A failure is transient where it cannot be known whether
// the request has arrived, and else of the provider; a refusal stays what it is.
func (s *services) askAs(ctx context.Context, key, service string, r outside.Request) (outside.Answer, error) {
	answer, err := s.Call(ctx, service, key, r)
	var refused *outside.RefusedError
	switch {
	case err == nil, errors.As(err, &refused):
		return answer, err
	case errors.Is(err, outside.ErrDown):
		return answer, runtime.Fail(OrderFulfillmentFailProviderDown, err.Error())
	}
	return answer, runtime.Fail(OrderFulfillmentFailTransient, err.Error())
}

// refusal gives the reason of a refusal.
func refusal(err error) (why string, ok bool) {
	var refused *outside.RefusedError
	if errors.As(err, &refused) {
		return refused.Why, true
	}
	return "", false
}

func (s *services) ReserveInventory(ctx context.Context, a *runtime.Attempt, order string) (OrderFulfillmentReserveInventoryResult, error) {
	answer, err := s.ask(ctx, a, "reserve", outside.Request{Order: order})
	if _, refused := refusal(err); refused {
		return OrderFulfillmentOutOfStock{}, nil
	}
	if err != nil {
		return nil, err
	}
	return OrderFulfillmentReserved{Reservation: answer.ID}, nil
}

func (s *services) AuthorizePayment(ctx context.Context, a *runtime.Attempt, order string, amount int64, method string) (OrderFulfillmentAuthorizePaymentResult, error) {
	answer, err := s.ask(ctx, a, "authorize", outside.Request{Order: order, Amount: amount, Method: method})
	if why, refused := refusal(err); refused {
		return OrderFulfillmentDeclined{Reason: why}, nil
	}
	if err != nil {
		return nil, err
	}
	return OrderFulfillmentAuthorized{Authorization: answer.ID}, nil
}

func (s *services) CapturePayment(ctx context.Context, a *runtime.Attempt, order, _ string, amount int64, _ string) (OrderFulfillmentCapturePaymentResult, error) {
	answer, err := s.ask(ctx, a, "capture", outside.Request{Order: order, Amount: amount})
	if why, refused := refusal(err); refused {
		return OrderFulfillmentDeclined{Reason: why}, nil
	}
	if err != nil {
		return nil, err
	}
	return OrderFulfillmentCaptured{Charge: answer.ID}, nil
}

// parts are the services by which a part is told, and told the contrary.
var parts = map[Part]struct{ tell, recall string }{
	PartWarehouse: {"pack", "unpack"},
	PartBooks:     {"invoice", "credit"},
	PartCarrier:   {"book", "unbook"},
}

func (s *services) Notify(ctx context.Context, a *runtime.Attempt, order, _ string, part Part) (NoticeNoted, error) {
	answer, err := s.ask(ctx, a, parts[part].tell, outside.Request{Order: order})
	return NoticeNoted{Receipt: answer.ID}, err
}

func (s *services) Withdraw(ctx context.Context, a *runtime.Attempt, order string, part Part) error {
	_, err := s.ask(ctx, a, parts[part].recall, outside.Request{Order: order})
	return err
}

func (s *services) SendConfirmation(ctx context.Context, a *runtime.Attempt, order, _ string, sent bool) (OrderFulfillmentEmailSent, error) {
	if sent {
		return OrderFulfillmentEmailSent{}, nil
	}
	_, err := s.ask(ctx, a, "mail", outside.Request{Order: order})
	return OrderFulfillmentEmailSent{}, err
}

func (s *services) SettlePayment(ctx context.Context, a *runtime.Attempt, order string) (SettlementSettled, error) {
	answer, err := s.ask(ctx, a, "settle", outside.Request{Order: order})
	return SettlementSettled{Captured: answer.Captured}, err
}

func (s *services) ReleaseInventory(ctx context.Context, a *runtime.Attempt, order string) error {
	_, err := s.ask(ctx, a, "release", outside.Request{Order: order})
	return err
}

// RefundPayment has a key of the order, and not of the run that asks: that may be the second one.
func (s *services) RefundPayment(ctx context.Context, _ *runtime.Attempt, order string, amount int64) (RefundRefunded, error) {
	answer, err := s.askAs(ctx, order+":refund_payment", "refund", outside.Request{Order: order, Amount: amount})
	return RefundRefunded{Refund: answer.ID}, err
}
