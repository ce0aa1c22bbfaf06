package main

import (
	"encoding/json"
	"net/http"
	"slices"
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
		t.Activity("refund_payment", fsmtest.Raises("Refunded", RefundRefunded{Refund: "back"}))
		t.Activity("withdraw", fsmtest.Ends())
		stuck := fsmtest.EndsIn("Stuck", ReleaseStuckResult{Reason: "the door is locked"})
		t.Machine("Release", fsmtest.After(time.Minute, stuck), fsmtest.EndsIn("Done", nil))
		run := paid(t)
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
	}, called()...)
}

// called are the machines that an order and its children call.
func called() []*runtime.Machine {
	return []*runtime.Machine{NotificationMachine(), NoticeMachine(), RecallMachine(), RefundMachine(), SettlementMachine(), ReleaseMachine()}
}

// paid is an order that has been paid.
func paid(t *fsmtest.T) *fsmtest.Run {
	t.Helper()
	t.Activity("reserve_inventory", fsmtest.Raises("Reserved", OrderFulfillmentReserved{Reservation: "r"}))
	t.Activity("authorize_payment", fsmtest.Raises("Authorized", OrderFulfillmentAuthorized{Authorization: "a"}))
	t.Activity("capture_payment", fsmtest.Raises("Captured", OrderFulfillmentCaptured{Charge: "c"}))
	run := t.Start(OrderFulfillmentParams{Order: "o", Amount: 100, Customer: "c"})
	for _, event := range []string{"ReserveInventory", "AuthorizePayment", "CapturePayment"} {
		var data any
		if event == "AuthorizePayment" {
			data = OrderFulfillmentAuthorizePayment{PaymentMethod: "card"}
		}
		run.Send(event, data)
		run.Wait()
	}
	run.WantState("Paid.PaymentCaptured")
	return run
}

// partsOf are the parts that the attempts of an activity were for, in order.
func partsOf(t *fsmtest.T, activity string) (parts []string) {
	t.Helper()
	for _, a := range t.Attempts(activity) {
		var args struct{ Part string }
		if err := json.Unmarshal(a.Args, &args); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, args.Part)
	}
	return parts
}

// TestToldOrNot: where the carrier has no van, the carrier, the books and the warehouse are told the
// contrary, in this order; a resumed order tells all of them, and a refund tells them the contrary.
func TestToldOrNot(t *testing.T) {
	fsmtest.Play(t, OrderFulfillmentMachine(), func(t *fsmtest.T) {
		run := paid(t)
		noted, noVan := fsmtest.Raises("Noted", NoticeNoted{Receipt: "n"}), fsmtest.Fails(NoticeFailProviderDown)
		t.Activity("send_confirmation", fsmtest.Raises("EmailSent", nil))
		t.Activity("notify", noted, noted, noVan, noVan, noVan, noVan, noted)
		t.Activity("withdraw", fsmtest.Fails(RecallFailTransient), fsmtest.Ends())
		t.Activity("refund_payment", fsmtest.Raises("Refunded", RefundRefunded{Refund: "back"}))
		t.Activity("release_inventory", fsmtest.Ends())
		run.Send("TriggerFulfillment", nil)
		run.Wait()
		run.WantState("NeedsAttention")
		if got := partsOf(t, "notify"); !slices.Equal(got, []string{"warehouse", "books", "carrier", "carrier", "carrier", "carrier"}) {
			t.Errorf("told were %q", got)
		}
		if got := partsOf(t, "withdraw"); !slices.Equal(got, []string{"carrier", "carrier", "books", "warehouse"}) {
			t.Errorf("told the contrary were %q", got)
		}
		run.Send("Resume", nil)
		run.Wait()
		run.WantState("Paid.FulfillmentTriggered")
		if got := partsOf(t, "notify")[6:]; !slices.Equal(got, []string{"warehouse", "books", "carrier"}) {
			t.Errorf("told were %q", got)
		}
		run.Send("CancelOrder", OrderFulfillmentCancelOrder{Reason: "too late"})
		run.Wait()
		run.WantState("Returned")
		if got := partsOf(t, "withdraw")[4:]; !slices.Equal(got, []string{"carrier", "books", "warehouse"}) {
			t.Errorf("told the contrary were %q", got)
		}
	}, called()...)
}

// TestCancelledWhileTold: an order that is cancelled while its parts are told undoes what is done
// before anything is paid back.
func TestCancelledWhileTold(t *testing.T) {
	fsmtest.Play(t, OrderFulfillmentMachine(), func(t *fsmtest.T) {
		run := paid(t)
		t.Activity("send_confirmation", fsmtest.Raises("EmailSent", nil))
		t.Activity("notify", fsmtest.Raises("Noted", NoticeNoted{Receipt: "n"}), fsmtest.After(time.Hour, fsmtest.Hangs()))
		t.Activity("withdraw", fsmtest.After(50*time.Second, fsmtest.Ends()), fsmtest.Ends())
		t.Activity("refund_payment", fsmtest.Raises("Refunded", RefundRefunded{Refund: "back"}))
		t.Activity("release_inventory", fsmtest.Ends())
		run.Send("TriggerFulfillment", nil)
		run.Sleep(10 * time.Second)
		run.WantState("Paid.Fulfilling")
		run.Send("CancelOrder", OrderFulfillmentCancelOrder{Reason: "changed my mind"})
		run.Sleep(30 * time.Second)
		run.WantState("Refunding")
		if n := len(t.Attempts("refund_payment")); n != 0 {
			t.Error("it is paid back before what is done is undone")
		}
		run.Wait()
		run.WantState("Returned")
		// By the run that told them, and again by the refund, which does not know that.
		if got := partsOf(t, "withdraw"); !slices.Equal(got, []string{"books", "warehouse", "carrier", "books", "warehouse"}) {
			t.Errorf("told the contrary were %q", got)
		}
	}, called()...)
}
