package oracletest_test

import (
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// lowest is a machine of two states that calls none: its runs last at most
// 8s + 4s + 8s + 12s, and 20s more once they are cancelled, which may be in the last moment.
const lowest = `
machine Low {
    event Paid
    activity pay() -> Paid
    initial Paying
    on cancel -> Undoing
    state Paying {
        do pay() timeout 8s
        on Paid -> Waiting
        on failed retry 1 backoff 4s jitter 0
            else -> Waiting
    }
    state Waiting {
        do pay() timeout 12s
        on Paid, failed -> Bad
    }
    state Undoing {
        after 20s -> Bad
    }
    terminal Bad failure
}
`

// TestWrongTimesOfTreesAreCaught has machines of two and three levels of which some run lasts as
// long as the checker says: a sum that leaves out a factor, or counts one twice, is another.
func TestWrongTimesOfTreesAreCaught(t *testing.T) {
	t.Parallel()
	type row struct {
		name string
		sum  time.Duration
	}
	const s = time.Second
	low := 8*s + 4*s + 8*s + 12*s + 20*s
	for _, c := range []struct {
		name, src string
		is        time.Duration
		wrong     []row
	}{
		{"two levels", `
machine M {
    event Closed
    activity close() -> Closed
    initial Calling
    state Calling {
        do machine Low()
        on Low.Bad, failed retry 1 backoff 4s jitter 0
            else -> Closing
    }
    state Closing {
        do close() timeout 4s
        on Closed, failed -> Done
    }
    terminal Done
}
` + lowest, low + 4*s + low + 4*s, []row{
			{"the second state left out", low + 4*s + low},
			{"the first state left out", 4 * s},
			{"the second run of the child left out", low + 4*s},
			{"the wait before it left out", 2*low + 4*s},
			{"the second state of the child left out", 2*(low-12*s) + 8*s},
			{"the retry of the child left out", 2*(low-12*s) + 8*s},
			{"the child counted twice", 3*low + 8*s},
			{"the child without its time once it is cancelled", 2*(low-20*s) + 8*s},
		}},
		{"three levels", `
machine M {
    initial Calling
    state Calling {
        do machine Middle()
        on Middle.Done, failed -> Closing
    }
    state Closing { after 16s -> Done }
    terminal Done
}
machine Middle {
    initial First
    state First {
        do machine Low()
        on Low.Bad, failed -> Resting
    }
    state Resting { after 4s -> Second }
    state Second {
        do machine Low()
        on Low.Bad, failed -> Done
    }
    terminal Done
}
` + lowest, low + 4*s + low + 16*s, []row{
			{"its own time left out", low + 4*s + low},
			{"the child left out", 16 * s},
			{"the child of the child left out", 4*s + 16*s},
			{"the child of the child once", low + 4*s + 16*s},
			{"the own time of the child left out", 2*low + 16*s},
			{"one state of the lowest left out", 2*(low-12*s) + 4*s + 16*s},
		}},
		{"elements of three levels", `
machine M(xs [0..5]string) {
    initial Calling
    state Calling {
        do machine Middle() for x in xs limit 2 as c
        on c.Done, c.failed {}
        on done -> Closing
    }
    state Closing { after 16s -> Done }
    terminal Done
}
machine Middle {
    initial Calling
    state Calling {
        do machine Low()
        on Low.Bad, failed -> Resting
    }
    state Resting { after 4s -> Done }
    terminal Done
}
` + lowest, 3*(low+4*s) + 16*s, []row{
			{"no limit", low + 4*s + 16*s},
			{"rounds that are rounded off", 2*(low+4*s) + 16*s},
			{"a round too many", 4*(low+4*s) + 16*s},
			{"one element at a time", 5*(low+4*s) + 16*s},
			{"four elements", 2*(low+4*s) + 16*s},
			{"the own time of the child left out", 3*low + 16*s},
			{"the child of the child left out", 3*4*s + 16*s},
			{"the state behind the elements left out", 3 * (low + 4*s)},
		}},
		{"a timeout of three levels", `
machine M {
    initial Calling
    state Calling {
        do machine Middle() timeout 16s
        on Middle.Done, failed -> Closing
    }
    state Closing {
        do machine Low()
        on Low.Bad, failed -> Done
    }
    terminal Done
}
machine Middle {
    initial Calling
    state Calling {
        do machine Low()
        on Low.Bad, failed -> Done
    }
    terminal Done
}
` + lowest, 16*s + 20*s + low, []row{
			{"the timeout left out", 2 * low},
			{"the time to stop left out", 16*s + low},
			{"the timeout alone", 20*s + low},
			{"the state behind it left out", 16*s + 20*s},
			{"the time to stop after a whole run", low + 20*s + low},
		}},
		{"a timeout of elements", `
machine M(xs [0..3]string) {
    initial Calling
    state Calling {
        do machine Low() for x in xs limit 1 as c timeout 4s
        on c.Bad, c.failed {}
        on done -> Done
    }
    terminal Done
}
` + lowest, 3 * (4*s + 20*s), []row{
			{"the timeout left out", 3 * 20 * s},
			{"the time to stop left out", 3 * 4 * s},
			{"the time to stop of one element", 3*4*s + 20*s},
			{"elements side by side", 4*s + 20*s},
			{"the time of the child instead", 3 * low},
		}},
		{"a retry that waits for what is stopped beside it", `
machine M {
    event Paid
    activity pay() -> Paid
    initial Calling
    state Calling {
        do machine Low() as c timeout 8s
        do pay() as d timeout 4s
        on c.Bad, c.failed {}
        on d.Paid {}
        on d.failed retry 2 backoff 4s jitter 0
            else {}
        on done -> Done
    }
    terminal Done
}
` + lowest, 40 * s, []row{
			{"what is stopped left out", 3*4*s + 2*4*s},
			{"the longest of the two", 8*s + 20*s},
			{"one retry", 2*4*s + 4*s + 20*s},
		}},
		{"a timer that ends a visit", `
machine M {
    initial Calling
    state Calling {
        do machine Middle()
        on Middle.Done, failed -> Closing
        after 12s -> Closing
    }
    state Closing {
        do machine Low() timeout 4s
        on Low.Bad, failed -> Done
    }
    terminal Done
}
machine Middle {
    initial Calling
    state Calling {
        do machine Low()
        on Low.Bad, failed -> Done
    }
    terminal Done
}
` + lowest, 12*s + 20*s + 4*s + 20*s, []row{
			{"what the timer cancels left out", 12*s + 4*s + 20*s},
			{"what the timeout cancels left out", 12*s + 20*s + 4*s},
			{"the timer left out", 20*s + 4*s + 20*s},
			{"the timeout left out", 12*s + 20*s + 20*s},
			{"the child instead of the timer", low + 4*s + 20*s},
			{"the child as well as the timer", 12*s + low + 4*s + 20*s},
		}},
	} {
		m := langtest.Machine(t, c.src)
		space := oracletest.Unexplored(m)
		says := check.Bounds(m, explore.DefaultLimit).Time
		slowest := space.Slowest(rand.New(rand.NewPCG(1, 1)), 400)
		if most := time.Duration(says.Amount.Num().Int64()); most != c.is || slowest != c.is {
			t.Errorf("%s: %v is right, the checker says %v, and a run lasts %v", c.name, c.is, most, slowest)
		}
		for _, w := range c.wrong {
			says.Amount = big.NewRat(int64(w.sum), 1)
			if found := tooShort(says, slowest); w.sum < c.is && len(found) == 0 || w.sum == slowest {
				t.Errorf("%s: %s: brute force does not say that %v is wrong", c.name, w.name, w.sum)
			}
		}
	}
}
