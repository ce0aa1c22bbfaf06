package golang

import (
	"go/scanner"
	"go/token"
)

// helper is a function that the pure machine may make use of.
type helper struct {
	name string // by which it is called, without what stands before a method
	text string
}

// helpers writes those that occur in what has been written, or in each other.
func (c *corePrinter) helpers(written []byte) {
	words := map[string]bool{}
	noteWords(words, written)
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
	{"@MOptional", `// @MOptional is a value that may be unset; Value is zero then.
type @MOptional[T any] struct {
	Value T
	Set   bool
}
`},
	{"@mValue", `// @mValue is the value of a field that must be set.
func @mValue[T any](t *@MStepper, o @MOptional[T], why string) T {
	if !o.Set {
		t.fail(why)
	}
	return o.Value
}
`},
	{"@mAdd", `// @mAdd is a + b; what overflows cannot be computed.
func @mAdd[T ~int64](t *@MStepper, a, b T) T {
	sum := a + b
	if (sum > a) != (b > 0) {
		t.fail("the result of + is out of range")
	}
	return sum
}
`},
	{"@mSub", `// @mSub is a - b; what overflows cannot be computed.
func @mSub[T ~int64](t *@MStepper, a, b T) T {
	difference := a - b
	if (difference < a) != (b > 0) {
		t.fail("the result of - is out of range")
	}
	return difference
}
`},
	{"@mMul", `// @mMul is a * b; what overflows cannot be computed.
func @mMul[T ~int64](t *@MStepper, a, b T) T {
	product := a * b
	if a != 0 && (product/a != b || a == -1 && b == math.MinInt64) {
		t.fail("the result of * is out of range")
	}
	return product
}
`},
	{"@mFinite", `// @mFinite is f, which must be finite.
func @mFinite(t *@MStepper, f float64) float64 {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		t.fail("the result of an operation on floats is out of range")
	}
	return f
}
`},
	{"@mNegative", `// @mNegative is -f.
func @mNegative(f float64) float64 { return -f }
`},
	{"@mJoin", `// @mJoin is a + b; a string has at most 1 MiB.
func @mJoin(t *@MStepper, a, b string) string {
	if len(a)+len(b) > 1<<20 {
		t.fail("a string would be longer than 1 MiB")
		return ""
	}
	return a + b
}
`},
	{"@mAppend", `// @mAppend is list with one more item, in memory of its own; a list has about
// 1 MiB at most.
func @mAppend[T any](t *@MStepper, list []T, item T, size func([]T) int) []T {
	out := append(list[:len(list):len(list)], item)
	if size(out) > 1<<20 {
		t.fail("a list would be larger than 1 MiB")
	}
	return out
}
`},
	{"@mSize", `// @mSize is about how many bytes a list takes.
func @mSize[T any](list []T, item func(T) int) int {
	size := 16
	for _, v := range list {
		size += item(v)
	}
	return size
}
`},
	{"@mAfter", `// @mAfter is the time d after at, cut to the microsecond.
func @mAfter(t *@MStepper, at time.Time, d time.Duration) time.Time {
	return @mInTime(t, at.Add(d))
}
`},
	{"@mBefore", `// @mBefore is the time d before at, cut to the microsecond.
func @mBefore(t *@MStepper, at time.Time, d time.Duration) time.Time {
	return @mInTime(t, at.Add(-(d / 2)).Add(-(d - d/2))) // in halves: -d may overflow
}
`},
	{"@mInTime", `// @mInTime is at, which must lie in the years 1 to 9999.
func @mInTime(t *@MStepper, at time.Time) time.Time {
	if at.Year() < 1 || at.Year() > 9999 {
		t.fail("a time lies in the years 1 to 9999")
		return time.Time{}
	}
	return at.Truncate(time.Microsecond)
}
`},
	{"@mBetween", `// @mBetween is a - b.
func @mBetween(t *@MStepper, a, b time.Time) time.Duration {
	micro := a.UnixMicro() - b.UnixMicro()
	if micro > math.MaxInt64/1000 || micro < math.MinInt64/1000 {
		t.fail("the result of - is out of range")
		return 0
	}
	return time.Duration(micro) * time.Microsecond
}
`},
	{"@mEarlier", `// @mEarlier is the earlier of two times.
func @mEarlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
`},
	{"@mLater", `// @mLater is the later of two times.
func @mLater(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
`},
	{"@mWiden", `// @mWiden is n, 128 bits wide.
func @mWiden(n int64) @mWide { return @mWide{hi: n >> 63, lo: uint64(n)} }
`},
	{"@mWideTime", `// @mWideTime is a time in nanoseconds.
func @mWideTime(t time.Time) @mWide {
	a := @mWiden(t.UnixMicro())
	hi, lo := bits.Mul64(a.lo, 1000)
	return @mWide{hi: a.hi*1000 + int64(hi), lo: lo}
}
`},
	{"@mWide", `// @mWide is a 128-bit integer: comparisons of sums are over the mathematical
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
	{"negate", `func (a @mWide) negate() @mWide { return @mWide{hi: ^a.hi, lo: ^a.lo}.add(@mWide{lo: 1}) }
`},
}
