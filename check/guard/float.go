package guard

import "math"

// ordinal numbers the finite floats in their order, 0 at 0: x < y just if
// ordinal(x) < ordinal(y). The bits of a positive float, read as an integer,
// rise with it (IEEE 754 is made so); negative ones are mirrored, and the two
// zeros are one. So comparisons of floats are decided as those of integers,
// exactly: between two neighbours there is nothing.
func ordinal(x float64) int64 {
	if x < 0 {
		return -int64(math.Float64bits(-x))
	}
	return int64(math.Float64bits(math.Abs(x)))
}

// floatAt is the float with the ordinal n.
func floatAt(n int64) float64 {
	if n < 0 {
		return -math.Float64frombits(uint64(-n))
	}
	return math.Float64frombits(uint64(n))
}

// plainest is the number from lo to hi that is best to read: 0, else with as few
// decimals as will do, then the nearest to 0.
func plainest(lo, hi float64) float64 {
	switch {
	case lo <= 0 && hi >= 0:
		return 0
	case hi < 0:
		return -plainest(-hi, -lo)
	}
	for power := 1.0; power < 1e18; power *= 10 {
		if x := math.Ceil(lo*power) / power; lo <= x && x <= hi {
			return x
		}
	}
	return lo
}
