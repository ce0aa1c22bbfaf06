package sqlite

// Restored is what Restore has done.
type Restored struct {
	Bytes  int64  // size of the database
	Before string // where the one is that was there before, with its log; empty where there was none
}
