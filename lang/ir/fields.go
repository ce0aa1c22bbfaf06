package ir

// FailureFields are what `event` has in the arm of a failure.
var FailureFields = []*EventField{
	{Name: "category", Type: &Type{Kind: String}, Index: 0},
	{Name: "message", Type: &Type{Kind: String}, Index: 1},
	{Name: "activity", Type: &Type{Kind: String}, Index: 2},
	{Name: "attempt", Type: &Type{Kind: Int}, Index: 3},
}

// Fields are what `event` has where t is met: the fields of its event, those
// of a failure, or none.
func (t *Trigger) Fields() []*EventField {
	switch t.Kind {
	case OnEvent:
		return t.Event.Fields
	case OnFailed:
		return FailureFields
	}
	return nil
}

// Field is the one of t.Fields called name, or nil.
func (t *Trigger) Field(name string) *EventField {
	for _, f := range t.Fields() {
		if f.Name == name {
			return f
		}
	}
	return nil
}
