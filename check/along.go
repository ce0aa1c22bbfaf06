package check

import (
	"encoding/binary"
	"slices"

	"github.com/fsmc-dev/fsmc/check/replay"
	"github.com/fsmc-dev/fsmc/check/witness"
)

// along is a path with all retries, written out and replayed. In a tree of machines the same
// path is that of many figures, and a list of a thousand elements takes long to replay.
type along struct {
	w, run         *witness.Witness
	replays        bool
	retries, whole bool // see explore.Product.RunAll
}

// alongOf names a path and how it ends.
type alongOf struct {
	path   string
	ending replay.Ending
}

// along plays a path of a run that begins with given.
func (s *shared) along(path []int32, ending replay.Ending, given map[string]any) *along {
	if given != nil {
		return s.play(path, ending, given)
	}
	text := make([]byte, 0, 4*len(path))
	for _, e := range path {
		text = binary.LittleEndian.AppendUint32(text, uint32(e))
	}
	key := alongOf{string(text), ending}
	if s.played[key] == nil {
		if s.played == nil {
			s.played = map[alongOf]*along{}
		}
		s.played[key] = s.play(path, ending, nil)
	}
	return s.played[key]
}

func (s *shared) play(path []int32, ending replay.Ending, given map[string]any) *along {
	a := &along{}
	a.w, a.retries, a.whole = s.Product().RunAll(path, false)
	begin(a.w, given)
	s.rows += len(a.w.Path)
	a.run, a.replays = s.replays(s.ends(a.w, ending))
	delete(s.endings, a.w)
	return a
}

// copied is the run, of which each figure may show children of its own.
func (a *along) copied() *witness.Witness {
	run := *a.run
	run.Path = slices.Clone(run.Path)
	for i := range run.Path {
		run.Path[i].Children = slices.Clone(run.Path[i].Children)
	}
	return &run
}
