package runtime

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// answer is what is stored with an event id: the view that Send gave, and what the
// event was.
type answer struct {
	View
	Accepted string `json:"accepted,omitempty"` // the event's name
	Payload  string `json:"payload,omitempty"`  // a hash of its canonical payload
}

// answer is what is stored with the event id of a write.
func (w *write) answer() (json.RawMessage, error) {
	m := w.host.machine
	a := answer{View: m.view(w.after)}
	for _, r := range w.records { // what was due before the event came first
		if in := &r.Input; in.Kind == EventInput && in.ID == w.eventID {
			a.Accepted, a.Payload = m.eventName(in.Event), m.payloadHash(in.Event, in.Data)
		}
	}
	return json.Marshal(a)
}

func (m *Machine) payloadHash(event int, data []Value) string {
	sum := sha256.Sum256(encodeFields(m.def.Events[event].Fields, data))
	return hex.EncodeToString(sum[:16])
}

// repeated is the answer that an earlier send with the same id got. It is refused
// where that was another event.
func (a *applied) repeated(event *ExternalEvent) (View, error) {
	var first answer
	if err := json.Unmarshal(a.answer, &first); err != nil {
		return View{}, fmt.Errorf("the answer to event id %q is damaged: %w", event.ID, err)
	}
	first.Repeated = true
	m, why := a.host.machine, ""
	switch index, known := m.index.events[event.Name]; {
	case first.Accepted == "": // by an fsmc that did not keep it
	case first.Accepted != event.Name:
		why = fmt.Sprintf("its id %q was taken with another event, %s", event.ID, first.Accepted)
	case known:
		data, err := m.DecodePayload(index, event.Data)
		// One that does not fit may have done so before a migration.
		if err == nil && m.payloadHash(index, data) != first.Payload {
			why = fmt.Sprintf("its id %q was taken with another payload", event.ID)
		}
	}
	if why != "" {
		return View{}, m.rejectNamed(a.snapshot, event.Name, why, ErrDuplicate)
	}
	return first.View, nil
}
