package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/examples/orderfulfillment/outside"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/fsmtest"
)

// TestRefundsOnce: the money goes back once, also if a second run asks for it.
func TestRefundsOnce(t *testing.T) {
	world, err := outside.Start(outside.Config{Reliable: true})
	if err != nil {
		t.Fatal(err)
	}
	defer world.Close()
	s := &services{outside.Client{URL: world.URL, HTTP: http.DefaultClient}}
	for _, key := range []string{"the first run", "the run after a person has resumed the order"} {
		if _, err := s.RefundPayment(t.Context(), &runtime.Attempt{Key: key}, "o", 100); err != nil {
			t.Fatal(err)
		}
	}
	if entries := world.Entries(); len(entries) != 1 || entries[0].Kind != outside.Refunded {
		t.Errorf("the book has %+v", entries)
	}
}

// TestUndoneInParts: one part that is stuck brings the order to a person, and after that both
// parts are undone again.
func TestUndoneInParts(t *testing.T) {
	fsmtest.Play(t, OrderFulfillmentMachine(), func(t *fsmtest.T) {
		t.Activity("reserve_inventory", fsmtest.Raises("Reserved", OrderFulfillmentReserved{Reservation: "r"}))
		t.Activity("authorize_payment", fsmtest.Raises("Authorized", OrderFulfillmentAuthorized{Authorization: "a"}))
		t.Activity("capture_payment", fsmtest.Raises("Captured", OrderFulfillmentCaptured{Charge: "c"}))
		t.Activity("refund_payment", fsmtest.Raises("Refunded", RefundRefunded{Refund: "back"}))
		stuck := fsmtest.EndsIn("Stuck", ReleaseStuckResult{Reason: "the door is locked"})
		t.Machine("Release", fsmtest.After(time.Minute, stuck), fsmtest.EndsIn("Done", nil))
		run := t.Start(OrderFulfillmentParams{Order: "o", Amount: 100, Customer: "c"})
		for _, event := range []string{"ReserveInventory", "AuthorizePayment", "CapturePayment"} {
			var data any
			if event == "AuthorizePayment" {
				data = OrderFulfillmentAuthorizePayment{PaymentMethod: "card"}
			}
			run.Send(event, data)
			run.Wait()
		}
		run.Send("RefundOrder", OrderFulfillmentRefundOrder{Reason: "too small"})
		run.Wait()
		run.WantState("NeedsAttention")
		run.Send("Resume", nil)
		run.Wait()
		run.WantState("Returned")
		var data OrderFulfillmentData
		run.Data(&data)
		if data.Refund.Value != "back" || data.Reason != "the door is locked" {
			t.Errorf("left is %+v", data)
		}
		if n := len(t.Attempts("refund_payment")); n != 2 {
			t.Errorf("%d runs paid it back", n)
		}
	}, RefundMachine(), SettlementMachine(), ReleaseMachine())
}
