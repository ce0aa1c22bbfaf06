package runtime

import (
	"context"
	"fmt"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// At is a stored run as it was after a step, by its number, and the machine that it then had: its
// history is replayed up to there. 0 is the run as it is. ErrNotFound where there is no such run, a *Difference where history does not replay.
func (e *Engine) At(ctx context.Context, run string, seq int64) (*Machine, *machine.Snapshot, error) {
	row, err := e.store.Load(ctx, run)
	if err != nil {
		return nil, nil, fmt.Errorf("run %q: %w", run, err)
	}
	if seq < 0 || seq > row.Seq {
		return nil, nil, fmt.Errorf("run %q has taken %d steps, and there is no step %d", run, row.Seq, seq)
	}
	h, err := e.host(ctx, row.Definition)
	if err != nil {
		return nil, nil, err
	}
	stored, err := h.machine.DecodeSnapshot(row.Snapshot)
	if err != nil || seq == 0 || seq == row.Seq {
		return h.machine, stored, err
	}
	row.Seq = seq
	s, err := e.relive(ctx, h, &row, stored)
	if err != nil {
		return nil, nil, err
	}
	version, err := e.versionAt(ctx, h, stored.Versions, seq)
	if err != nil {
		return nil, nil, err
	}
	return version.machine, s, nil
}
