package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// agent does the activities of one session. How long they take passes on the
// session's own clock.
type agent struct {
	clock   *runtime.ManualClock
	until   time.Time          // when the shift is over
	stop    context.CancelFunc // ends the shift
	random  *rand.Rand
	person  character
	trouble trouble

	outlines map[string]string // by the execution's key: made once each
	library  map[string]string // the text of each section that has been written, by its name
	resumed  int               // attempts at writing that went on behind a checkpoint
	reviews  int
}

var _ DocumentAgentActivities = (*agent)(nil)

// errOver returns an attempt for which the shift has no time.
var errOver = runtime.Decline("the shift is over")

// work lets about d pass, between half of it and half as much again, and notes
// what it has cost. It fails once, for good, where the session's trouble is with the activity.
func (a *agent) work(attempt *runtime.Attempt, d time.Duration, tokens int) error {
	d = d/2 + time.Duration(a.random.Int64N(int64(d)))
	if a.clock.Now().Add(d).After(a.until) {
		a.stop()
		return errOver
	}
	a.clock.Advance(d)
	if err := attempt.Spend("tokens", json.Number(strconv.Itoa(tokens))); err != nil || a.trouble.fatal != attempt.Activity {
		return err
	}
	a.trouble.fatal = ""
	return errors.New("the model answered with what is not JSON")
}

// hang never ends; the time limit does.
func (a *agent) hang(ctx context.Context, limit time.Duration) error {
	if a.clock.Now().Add(limit).After(a.until) {
		a.stop()
		return errOver
	}
	a.clock.Advance(limit)
	<-ctx.Done()
	return ctx.Err()
}

func (a *agent) GatherRequirements(_ context.Context, attempt *runtime.Attempt, request string) (DocumentAgentRequirementsGathered, error) {
	if err := a.work(attempt, 2*time.Minute, 3200); err != nil {
		return DocumentAgentRequirementsGathered{}, err
	}
	requirements, err := json.Marshal(map[string]any{"about": request, "sections": 3 + a.random.IntN(3)})
	return DocumentAgentRequirementsGathered{Requirements: requirements}, err
}

// GenerateOutline makes an outline once for each execution: an attempt that
// comes after one that was cut off finds it.
func (a *agent) GenerateOutline(ctx context.Context, attempt *runtime.Attempt, requirements json.RawMessage, _ []string) (DocumentAgentGenerateOutlineResult, error) {
	if outline, made := a.outlines[attempt.Key]; made {
		return DocumentAgentOutlineReady{Outline: outline}, nil
	}
	if a.trouble.hangs {
		a.trouble.hangs = false
		return nil, a.hang(ctx, 5*time.Minute)
	}
	if err := a.work(attempt, time.Minute, 4500); err != nil {
		return nil, err
	}
	if a.trouble.transient > 0 {
		a.trouble.transient--
		return nil, runtime.Fail(DocumentAgentFailTransient, "the model is overloaded")
	}
	if a.person.vague > 0 {
		a.person.vague--
		return DocumentAgentOutlineUnclear{Question: "who is going to read it?"}, nil
	}
	var wanted struct{ Sections int }
	if err := json.Unmarshal(requirements, &wanted); err != nil {
		return nil, err
	}
	var names []string
	for i := range wanted.Sections {
		names = append(names, fmt.Sprintf("section-%d", i+1))
	}
	outline := strings.Join(names, ", ")
	a.outlines[attempt.Key] = outline
	return DocumentAgentOutlineReady{Outline: outline}, nil
}

// WriteSections writes what is not in the library under its name, and what the
// last word of feedback is about. A checkpoint behind each section lets the next
// attempt go on there.
func (a *agent) WriteSections(_ context.Context, attempt *runtime.Attempt, _, outline string, feedback []string) (DocumentAgentSectionsWritten, error) {
	names := strings.Split(outline, ", ")
	done := 0
	if attempt.Checkpoint != nil {
		a.resumed++
		if err := json.Unmarshal(attempt.Checkpoint, &done); err != nil {
			return DocumentAgentSectionsWritten{}, err
		}
	}
	wish := ""
	if len(feedback) > 0 {
		wish = feedback[len(feedback)-1]
	}
	for i := done; i < len(names); i++ {
		if name := names[i]; a.library[name] == "" || strings.HasPrefix(wish, name+" ") {
			if err := a.work(attempt, 3*time.Minute, 2800); err != nil {
				return DocumentAgentSectionsWritten{}, err
			}
			a.library[name] = fmt.Sprintf("%s, draft %d", name, len(feedback)+1)
		}
		if err := attempt.Progress(i + 1); err != nil {
			return DocumentAgentSectionsWritten{}, err
		}
		if i == 1 && a.trouble.cutOff {
			a.trouble.cutOff = false
			return DocumentAgentSectionsWritten{}, runtime.Fail(DocumentAgentFailTransient, "the connection was cut")
		}
	}
	sections, err := json.Marshal(a.library)
	return DocumentAgentSectionsWritten{Sections: sections}, err
}

// Review asks a person as often as that person has wishes.
func (a *agent) Review(_ context.Context, attempt *runtime.Attempt, _, _ json.RawMessage) (DocumentAgentReviewResult, error) {
	if err := a.work(attempt, 3*time.Minute, 6100); err != nil {
		return nil, err
	}
	if a.reviews++; a.reviews > a.person.wishes && !a.person.silent {
		return DocumentAgentReviewPassed{}, nil
	}
	return DocumentAgentReviewQuestions{Question: "is this what you had in mind?"}, nil
}

func (a *agent) Finalize(_ context.Context, attempt *runtime.Attempt, sections json.RawMessage) (DocumentAgentDocumentFinished, error) {
	if err := a.work(attempt, time.Minute, 900); err != nil {
		return DocumentAgentDocumentFinished{}, err
	}
	return DocumentAgentDocumentFinished{Document: string(sections)}, nil
}
