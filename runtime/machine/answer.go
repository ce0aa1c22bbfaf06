package machine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// answer is what is stored with an event id: the view that the sender got, and what the
// event was.
type answer struct {
	View
	Accepted string `json:"accepted,omitempty"` // the event's name
	Payload  string `json:"payload,omitempty"`  // a hash of its canonical payload
}

// EncodeAnswer is what is stored with the event id of a write that has led to the
// snapshot. One of the records is of that event.
func (m *Machine) EncodeAnswer(s *Snapshot, eventID string, records []*Record) (json.RawMessage, error) {
	a := answer{View: m.View(s)}
	for _, r := range records { // what was due before the event came first
		if in := &r.Input; in.Kind == EventInput && in.ID == eventID {
			a.Accepted, a.Payload = m.eventName(in.Event), m.payloadHash(in.Event, in.Data)
		}
	}
	return json.Marshal(a)
}

func (m *Machine) payloadHash(event int, data []Value) string {
	sum := sha256.Sum256(encodeFields(m.def.Events[event].Fields, data))
	return hex.EncodeToString(sum[:16])
}

// BriefAnswer is of a stored answer what tells the event from others, for who cannot keep them all.
func BriefAnswer(stored json.RawMessage) (json.RawMessage, error) {
	var a answer
	if err := json.Unmarshal(stored, &a); err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Accepted string `json:"accepted,omitempty"`
		Payload  string `json:"payload,omitempty"`
	}{a.Accepted, a.Payload})
}

// DecodeAnswer is the view that an earlier sender of the event's id got, of a run that
// now stands at s: how it stands now, where only a brief answer was kept. The error is a *Rejected where that was another event.
func (m *Machine) DecodeAnswer(s *Snapshot, event *ExternalEvent, stored json.RawMessage) (View, error) {
	var first answer
	if err := json.Unmarshal(stored, &first); err != nil {
		return View{}, fmt.Errorf("the answer to event id %q is damaged: %w", event.ID, err)
	}
	if first.State == "" {
		first.View = m.View(s)
	}
	first.Repeated = true
	why := ""
	switch index, known := m.index.events.find(event.Name); {
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
		return View{}, m.rejectNamed(s, event.Name, why, ErrDuplicate)
	}
	return first.View, nil
}
