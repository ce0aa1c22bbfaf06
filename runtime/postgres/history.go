package postgres

import (
	"context"
	"encoding/json"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

const (
	selectHistory = `
	SELECT run, seq, at, kind, input, source, target, effect, record FROM @history
	WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT $3`
	selectToken = `
	SELECT 1 FROM @history WHERE run = $1 AND seq = $2 AND token = $3`

	selectAnswer = `
	SELECT answer FROM @inbox WHERE run = $1 AND event_id = $2`
	selectAnswerToken = `
	SELECT token FROM @inbox WHERE run = $1 AND event_id = $2`

	selectLiveStrays = `
	SELECT h.run, h.records, coalesce(r.seq, 0) FROM (
		SELECT run, count(*) AS records FROM @history WHERE $1 = '' OR run = $1 GROUP BY run) AS h
	LEFT JOIN @runs AS r ON r.run = h.run WHERE h.records > coalesce(r.seq, 0)`
)

var (
	selectHistoryOfAll = everywhere(selectHistory)
	selectAnswerOfAll  = everywhere(selectAnswer)
	selectStrays       = everywhere(selectLiveStrays)
)

func (s *Store) History(ctx context.Context, run string, after int64, limit int) ([]store.HistoryRow, error) {
	return readOne(ctx, s, sqlrow.Record, selectHistory, selectHistoryOfAll, run, after, atMost(limit))
}

func (s *Store) Accepted(ctx context.Context, run, eventID string) (json.RawMessage, bool, error) {
	found, err := readOne(ctx, s, sqlrow.One[[]byte], selectAnswer, selectAnswerOfAll, run, eventID)
	if err != nil || len(found) == 0 {
		return nil, false, err
	}
	return found[0], true, nil
}

// Strays looks through all of history for records that no run leads to: of one run,
// or with "" of all. No step leaves such records: someone else has written to the tables.
func (s *Store) Strays(ctx context.Context, run string) ([]store.Stray, error) {
	return readAll(ctx, s, sqlrow.Stray, selectStrays, run)
}
