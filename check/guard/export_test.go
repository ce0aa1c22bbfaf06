package guard

// Few has parts of a conjunction joined, and strings that differ looked up, from so many on.
func Few(n int) { fewHoles, fewPairs = n, n }
