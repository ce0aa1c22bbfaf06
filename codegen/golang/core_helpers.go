package golang

import (
	"go/scanner"
	"go/token"
)

// helper is a function that the pure machine may make use of.
type helper struct {
	name    string // by which it is called, without what stands before a method
	imports []string
	text    string
}

// helpers writes those that occur in what has been written, or in each other.
func (c *corePrinter) helpers(written ...[]byte) {
	words := map[string]bool{}
	for _, text := range written {
		noteWords(words, text)
	}
	used := make([]bool, len(helpers))
	for again := true; again; {
		again = false
		for i, h := range helpers {
			if !used[i] && words[c.named(h.name)] {
				used[i], again = true, true
				noteWords(words, []byte(c.named(h.text)))
			}
		}
	}
	for i, h := range helpers {
		if used[i] {
			c.p.use(h.imports...)
			c.t(h.text)
		}
	}
}

// noteWords notes the identifiers in Go code, and those before a dot with it
// where nothing is before them: names of packages are among these.
func noteWords(words map[string]bool, code []byte) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(code)), code, nil, 0)
	selected, last := false, ""
	for {
		_, tok, word := s.Scan()
		if tok == token.EOF {
			return
		}
		if tok == token.PERIOD && last != "" {
			words[last+"."] = true
		}
		last = ""
		if tok == token.IDENT {
			words[word] = true
			if !selected {
				last = word
			}
		}
		selected = tok == token.PERIOD
	}
}

var helpers = []helper{
	{"@mValue", nil, `// @mValue is the value of a field that must be set.
func @mValue[T any](t *@MStepper, o @MOptional[T], why string) T {
	if !o.Set {
		t.fail(why)
	}
	return o.Value
}
`},
	{"@mAdd", nil, `// @mAdd is a + b; what overflows cannot be computed.
func @mAdd[T ~int64](t *@MStepper, a, b T) T {
	sum := a + b
	if (sum > a) != (b > 0) {
		t.fail("the result of + is out of range")
	}
	return sum
}
`},
	{"@mSub", nil, `// @mSub is a - b; what overflows cannot be computed.
func @mSub[T ~int64](t *@MStepper, a, b T) T {
	difference := a - b
	if (difference < a) != (b > 0) {
		t.fail("the result of - is out of range")
	}
	return difference
}
`},
	{"@mMul", []string{"math"}, `// @mMul is a * b; what overflows cannot be computed.
func @mMul[T ~int64](t *@MStepper, a, b T) T {
	product := a * b
	if a != 0 && (product/a != b || a == -1 && b == math.MinInt64) {
		t.fail("the result of * is out of range")
	}
	return product
}
`},
	{"@mFinite", []string{"math"}, `// @mFinite is f, which must be finite.
func @mFinite(t *@MStepper, f float64) float64 {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		t.fail("the result of an operation on floats is out of range")
	}
	return f
}
`},
	{"@mNegative", nil, `// @mNegative is -f.
func @mNegative(f float64) float64 { return -f }
`},
	{"@mJoin", nil, `// @mJoin is a + b; a string has at most 1 MiB.
func @mJoin(t *@MStepper, a, b string) string {
	if len(a)+len(b) > 1<<20 {
		t.fail("a string would be longer than 1 MiB")
		return ""
	}
	return a + b
}
`},
	{"@mAppend", nil, `// @mAppend is list with one more item, in memory of its own; a list has about
// 1 MiB at most.
func @mAppend[T any](t *@MStepper, list []T, item T, size func([]T) int) []T {
	out := append(list[:len(list):len(list)], item)
	if size(out) > 1<<20 {
		t.fail("a list would be larger than 1 MiB")
	}
	return out
}
`},
	{"@mSize", nil, `// @mSize is about how many bytes a list takes.
func @mSize[T any](list []T, item func(T) int) int {
	size := 16
	for _, v := range list {
		size += item(v)
	}
	return size
}
`},
	{"@mAfter", []string{"time"}, `// @mAfter is the time d after at, cut to the microsecond.
func @mAfter(t *@MStepper, at time.Time, d time.Duration) time.Time {
	return @mInTime(t, at.Add(d))
}
`},
	{"@mBefore", []string{"time"}, `// @mBefore is the time d before at, cut to the microsecond.
func @mBefore(t *@MStepper, at time.Time, d time.Duration) time.Time {
	return @mInTime(t, at.Add(-(d / 2)).Add(-(d - d/2))) // in halves: -d may overflow
}
`},
	{"@mInTime", []string{"time"}, `// @mInTime is at, which must lie in the years 1 to 9999.
func @mInTime(t *@MStepper, at time.Time) time.Time {
	if at.Before(@MStepTime(1).Time().Add(-time.Microsecond)) || at.Year() > 9999 {
		t.fail("a time lies in the years 1 to 9999")
		return time.Time{}
	}
	return at.Truncate(time.Microsecond)
}
`},
	{"@mBetween", []string{"math", "time"}, `// @mBetween is a - b.
func @mBetween(t *@MStepper, a, b time.Time) time.Duration {
	micro := a.UnixMicro() - b.UnixMicro()
	if micro > math.MaxInt64/1000 || micro < math.MinInt64/1000 {
		t.fail("the result of - is out of range")
		return 0
	}
	return time.Duration(micro) * time.Microsecond
}
`},
	{"@mEarlier", []string{"time"}, `// @mEarlier is the earlier of two times.
func @mEarlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
`},
	{"@mLater", []string{"time"}, `// @mLater is the later of two times.
func @mLater(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
`},
	{"@mWiden", nil, `// @mWiden is n, 128 bits wide.
func @mWiden(n int64) @mWide { return @mWide{hi: n >> 63, lo: uint64(n)} }
`},
	{"@mWideTime", []string{"math/bits", "time"}, `// @mWideTime is a time in nanoseconds.
func @mWideTime(t time.Time) @mWide {
	a := @mWiden(t.UnixMicro())
	hi, lo := bits.Mul64(a.lo, 1000)
	return @mWide{hi: a.hi*1000 + int64(hi), lo: lo}
}
`},
	{"@mWide", []string{"math/bits", "cmp"}, `// @mWide is a 128-bit integer: comparisons of sums are over the mathematical
// integers, and do not overflow.
type @mWide struct {
	hi int64
	lo uint64
}

func (a @mWide) add(b @mWide) @mWide {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return @mWide{hi: a.hi + b.hi + int64(carry), lo: lo}
}

// compare is negative, 0 or positive as a is less than, equal to or more than b.
func (a @mWide) compare(b @mWide) int {
	return cmp.Or(cmp.Compare(a.hi, b.hi), cmp.Compare(a.lo, b.lo))
}
`},
	{"negate", nil, `func (a @mWide) negate() @mWide { return @mWide{hi: ^a.hi, lo: ^a.lo}.add(@mWide{lo: 1}) }
`},
	{"due", []string{"time"}, `// due is when a wait that begins now is over.
func (t *@MStepper) due(wait time.Duration) @MStepTime { return t.later(t.now, wait) }
`},
	{"later", []string{"time"}, `// later is the time a wait after from, rounded up to the microsecond, so that
// nothing is early.
func (t *@MStepper) later(from @MStepTime, wait time.Duration) @MStepTime {
	due := from + @MStepTime(wait/time.Microsecond)
	if wait%time.Microsecond > 0 {
		due++
	}
	if due > @mLast {
		t.fail("a wait goes beyond the year 9999")
	}
	return due
}
`},
	{"deadline", []string{"time"}, `// deadline is when a timer fires that runs until a time: at once where that has
// passed.
func (t *@MStepper) deadline(at time.Time) @MStepTime { return max(@MStepTimeOf(at), t.now) }
`},
	{"deadlinePast", []string{"math", "time"}, `// deadlinePast is a deadline with a timer's jitter. The wait may be longer than a
// duration can be: the jitter is a share of the longest at most.
func (t *@MStepper) deadlinePast(at time.Time, jitter, share float64) @MStepTime {
	due := t.deadline(at)
	wait := time.Duration(math.MaxInt64)
	if micro := int64(due - t.now); micro <= math.MaxInt64/1000 {
		wait = time.Duration(micro) * time.Microsecond
	}
	return t.later(due, @mLengthen(wait, jitter, share)-wait)
}
`},
	{"@mBackoff", []string{"time"}, `// @mBackoff is the k-th wait (k from 1): min(first × factor^(k-1), last), less
// share of its jitter. The power is made by squaring.
func @mBackoff(k int64, first, last time.Duration, factor, jitter, share float64) time.Duration {
	power := float64(first)
	for n := k - 1; n > 0 && power > 0 && power < float64(last); n >>= 1 {
		if n&1 == 1 {
			power *= factor
		}
		factor *= factor
	}
	wait := last
	if power < float64(last) {
		wait = time.Duration(power)
	}
	return wait - @mShareOf(wait, jitter, share)
}
`},
	{"@mLengthen", []string{"math", "time"}, `// @mLengthen adds share of its jitter to a wait.
func @mLengthen(wait time.Duration, jitter, share float64) time.Duration {
	return min(math.MaxInt64-wait, @mShareOf(wait, jitter, share)) + wait
}
`},
	{"@mShareOf", []string{"time"}, `// @mShareOf is wait × jitter × share, cut to a whole number not over wait.
func @mShareOf(wait time.Duration, jitter, share float64) time.Duration {
	f := float64(wait) * jitter * share
	if f >= float64(wait) {
		return wait
	}
	return time.Duration(f)
}
`},
	{"attemptShare", []string{"strconv"}, `// attemptShare decides the jitter of the wait before an attempt.
func (t *@MStepper) attemptShare(s *@MSnapshot, task @MDoTask) float64 {
	var digits [20]byte
	hash := @mHash(@mHash(@mHash(@mHashStart, s.Keys()), "/"), task.Do.String())
	hash = @mHash(@mHash(hash, "/"), string(strconv.AppendInt(digits[:0], task.Execution, 10)))
	return @mShare(s.Seed, hash, int64(task.Attempt))
}
`},
	{"timerShare", nil, `// timerShare decides the jitter of a timer.
func (t *@MStepper) timerShare(s *@MSnapshot, timer @MTimerName) float64 {
	return @mShare(s.Seed, @mHash(@mHashStart, timer.String()), t.seq)
}
`},
	{"@mShare", nil, `// @mShare is a number in [0, 1) made from a seed, the hash of a name and a count,
// finished with splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom
// Number Generators, OOPSLA 2014), so that replay is exact.
func @mShare(seed, hash uint64, count int64) float64 {
	const golden = 0x9e3779b97f4a7c15
	x := seed ^ hash
	x += golden * uint64(count)
	x += golden
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	return float64(x>>11) / (1 << 53)
}
`},
	{"@mHash", nil, `const @mHashStart uint64 = 14695981039346656037

// @mHash goes on with the FNV-1a hash of a text.
func @mHash(hash uint64, text string) uint64 {
	for i := range len(text) {
		hash = (hash ^ uint64(text[i])) * 1099511628211
	}
	return hash
}
`},
}
