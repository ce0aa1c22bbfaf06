package runtime

import "testing"

// TestEveryEndHasItsAction: whatever stops an attempt and however its call ends, one
// action follows.
func TestEveryEndHasItsAction(t *testing.T) {
	causes := []error{nil, ErrStopped, ErrOverdue, ErrMoved, ErrFenced}
	for _, cause := range causes {
		for end, act := range endings[cause] {
			if act == nil {
				t.Errorf("no action for the cause %v and the end %d", cause, end)
			}
		}
	}
	if len(endings) != len(causes) {
		t.Errorf("%d causes have actions, not %d", len(endings), len(causes))
	}
}
