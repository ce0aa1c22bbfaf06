package sqlite

// Stray is a run of which history has more records than it has taken steps; one that
// is gone has taken none. No step leaves such a run: the file has been damaged.
type Stray struct {
	Run     string
	Records int64
	Steps   int64
}
