package main

import (
	"math/rand/v2"
	"time"
)

// character is how a person behaves. All of it is drawn from the session's
// random numbers before it begins, so that a seed gives the same three days.
type character struct {
	begins  time.Duration // after the session was opened
	absent  bool          // never begins
	answers time.Duration // about how long each answer takes
	silent  bool          // never answers a question
	wishes  int           // rounds of feedback before approval
	vague   int           // outlines that come with a question in place of an outline
	curt    bool          // approves in place of the last wish
	retries bool          // starts over after an error
}

// newCharacter draws one. One in twenty-five opens a session and leaves it; one
// in eight never answers; one in twenty has more wishes than the five rounds
// that there are.
func newCharacter(random *rand.Rand) character {
	c := character{
		begins:  time.Duration(1+random.IntN(40)) * time.Minute,
		absent:  random.IntN(25) == 0,
		answers: time.Duration(10+random.IntN(8*60)) * time.Minute,
		silent:  random.IntN(8) == 0,
		wishes:  random.IntN(3),
		curt:    random.IntN(2) == 0,
		retries: random.IntN(4) > 0,
	}
	if random.IntN(20) == 0 {
		c.wishes, c.answers = 9, 3*time.Hour
	}
	if random.IntN(15) == 0 {
		c.answers = 15 * time.Hour // late, but always before the day is over
	}
	if random.IntN(10) == 0 {
		c.vague = 1
	}
	return c
}

// trouble is what goes wrong in one session, by the number of the call.
type trouble struct {
	transient int // calls of generate_outline that fail and may be tried again
	hangs     bool
	fatal     string // the activity that fails for good, the first time
	cutOff    bool   // write_sections dies in the middle, once
}

func newTrouble(random *rand.Rand) trouble {
	var t trouble
	switch random.IntN(12) {
	case 0, 1:
		t.transient = 1 + random.IntN(2)
	case 2:
		t.hangs = true
	case 3:
		t.transient = 3 // one more than there are retries
	case 4:
		t.fatal = []string{"gather_requirements", "review", "finalize"}[random.IntN(3)]
	case 5, 6:
		t.cutOff = true
	}
	return t
}
