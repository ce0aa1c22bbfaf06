package core

import (
	"testing"
	"time"
)

// TestTree steps a parent with what a child on a core of its own returns.
func TestTree(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	parent, child := NewParentCore(ParentParams{Size: ParentSizeSmall}), NewFinderCore(FinderParams{Size: FinderSizeSmall})
	var p ParentStepper
	var c FinderStepper
	if err := p.Start(&parent, now); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(&child, now); err != nil {
		t.Fatal(err)
	}
	in := ParentOnGo(ParentGo{N: 3})
	if _, err := p.Take(&parent, &in, now); err != nil || parent.State != ParentStateBoth {
		t.Fatal(parent.State, err)
	}
	seen := FinderOnSeen(FinderDoSeekingSeek, FinderSeen{Found: FinderFound{Name: "it", Count: 3, Size: FinderSizeLarge}})
	if _, err := c.Take(&child, &seen, now); err != nil {
		t.Fatal(err)
	}
	got, ok := child.DoneResult()
	if !ok {
		t.Fatal(child.State)
	}
	done := ParentOnFinderDone(ParentDoBothLeft, ParentFinderDone{Found: ParentFound{
		Name: got.Found.Name, Count: got.Found.Count, Size: ParentSize(got.Found.Size)}})
	if _, err := p.Take(&parent, &done, now); err != nil || parent.Data.Sum != 3 || parent.Data.Last.Value.Name != "it" {
		t.Error(parent.Data, err)
	}
	// A child that fails is an activity that fails, and a result that does not fit is refused.
	failed := ParentFailureInput(ParentDoBothRight, ParentCategoryCancelled, "")
	if arm, err := p.Take(&parent, &failed, now); err != nil || parent.State != ParentStateBoth {
		t.Error(arm, parent.State, err)
	}
	done.Data.FinderDone.Found.Count = 10
	if _, err := p.Take(&parent, &done, now); err == nil {
		t.Error("a count of 10 is taken")
	}
}
