package postgres

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// insertCountsOf writes what a batch counts: $1 where none of it is refused, which is
// mostly so, and else what each of the others counts, which is one of the texts in $4.
var insertCountsOf = formOf(`
INSERT INTO @count_log (counts)
SELECT counts FROM (
	SELECT CASE WHEN refused = '{}' THEN $1 ELSE (
		SELECT '[' || string_agg(($4 :: text[])[kind], ',') || ']' FROM unnest($2 :: bigint[], $3 :: bigint[]) AS q (n, kind)
		WHERE n <> ALL (refused)) END AS counts
	FROM (SELECT ` + refused + ` AS refused) AS setting) AS sums
WHERE counts IS NOT NULL`)

// insertCount is that of a batch of one commit.
var insertCount = formOf(`
INSERT INTO @count_log (counts)
SELECT $1 :: text FROM (SELECT 1 AS n) AS q WHERE` + admitted)

// count gathers what a commit counts, in place of what was gathered before.
func (r *request) count(y *counter) error {
	y.tally, y.texts = y.tally[:0], y.texts[:0]
	after, before := standingIn(&r.Run), r.before
	if r.Repairs != nil {
		before = standingIn(r.Repairs)
	}
	y.run(&after, "1")
	if r.Expect > 0 {
		y.run(&before, "-1")
	}
	store.CountRecords(r.Run.Machine, r.History, before.entered.UTC(),
		func(s store.StepCount) {
			y.add(stepCount, s.Machine, s.Day, "1", string(s.Kind), s.Counted(), s.From, s.To, string(s.Effect))
		},
		func(s store.StayCount) { y.add(stayCount, s.Machine, s.Bucket, "1", s.State) })
	return store.CountCosts(r.Run.Machine, r.History, func(n store.CostCount) {
		y.add(costCount, n.Machine, n.Day, n.Amount, n.Name)
	})
}

// key tells tallies apart.
func (y tally) key(to []byte) []byte {
	for i := range y {
		c := &y[i]
		to = append(append(append(to, c.What...), 0), c.Machine...)
		for _, text := range c.Texts {
			to = append(append(to, 0), text...)
		}
		to = strconv.AppendInt(append(to, 1), c.Number, 10)
		to = append(append(append(to, 1), c.Amount...), 2)
	}
	return to
}

// sum adds up what is counted by ones, and leaves out what cancels out.
func (y tally) sum() (sum tally) {
	type name struct {
		what, machine, texts string
		number               int64
	}
	at, ones := map[name]int{}, []int64{}
	for _, c := range y {
		n, err := strconv.ParseInt(c.Amount, 10, 64)
		key := name{c.What, c.Machine, strings.Join(c.Texts, "\x00"), c.Number}
		i, known := at[key]
		if known && err == nil && c.What != costCount {
			ones[i] += n
			continue
		}
		at[key] = len(sum)
		c.Texts = slices.Clone(c.Texts)
		sum, ones = append(sum, c), append(ones, n)
	}
	for i := range sum {
		if sum[i].What != costCount {
			sum[i].Amount = strconv.FormatInt(ones[i], 10)
		}
	}
	return slices.DeleteFunc(sum, func(c count) bool { return c.Amount == "0" })
}

// times is what n commits count that each count this.
func (y tally) times(n int64) (all tally) {
	for _, c := range y {
		if one, err := strconv.ParseInt(c.Amount, 10, 64); c.What != costCount && err == nil {
			c.Amount = strconv.FormatInt(one*n, 10)
			all = append(all, c)
			continue
		}
		for range n {
			all = append(all, c)
		}
	}
	return all
}

// writeCounts fills what the requests count. Many of a batch count the same: it is added up and written once.
func (b *batch) writeCounts() error {
	var y counter
	if len(b.requests) == 1 { // written or not, as a whole
		r := b.requests[0]
		if len(r.History) == 0 {
			return nil
		}
		err := r.count(&y)
		if err != nil {
			return err
		}
		text, err := json.Marshal(y.tally.sum())
		b.write(insertCount, string(text))
		return err
	}
	var sums []tally
	var often, numbers, kinds []int64
	var key []byte
	at := map[string]int64{} // places in sums, from 1
	for i, r := range b.requests {
		if len(r.History) == 0 {
			continue
		}
		if err := r.count(&y); err != nil {
			return err
		}
		key = y.tally.key(key[:0])
		kind, known := at[string(key)]
		if !known {
			sums, often = append(sums, y.tally.sum()), append(often, 0)
			kind = int64(len(sums))
			at[string(key)] = kind
		}
		often[kind-1]++
		numbers, kinds = append(numbers, int64(i+1)), append(kinds, kind)
	}
	if len(sums) == 0 {
		return nil
	}
	var all tally
	texts := make([]string, len(sums))
	for i, sum := range sums {
		all = append(all, sum.times(often[i])...)
		text, err := json.Marshal(sum)
		if err != nil {
			return err
		}
		texts[i] = string(text[1 : len(text)-1])
	}
	text, err := json.Marshal(all.sum())
	b.write(insertCountsOf, string(text), numbers, kinds, texts)
	return err
}
