package httpapi

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// checkQuery refuses a query with parameters that the route does not have, or one of them twice.
func checkQuery(r *http.Request, names []string) error {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return badQuery("", "the query cannot be read: %s", err)
	}
	for name, given := range values {
		if !slices.Contains(names, name) {
			return badQuery(name, "there is no parameter %q%s", name, machine.DidYouMean(name, names)).allow(names)
		}
		if len(given) > 1 {
			return badQuery(name, "%q is given twice", name)
		}
	}
	return nil
}

// query is that of a request, with the first fault of what has been read of it.
type query struct {
	url.Values
	err error
}

func queryOf(r *http.Request) *query { return &query{Values: r.URL.Query()} }

func (q *query) wrong(p *Problem) {
	if q.err == nil {
		q.err = p
	}
}

// number is a number between least and most, or what it is where it is not given.
func (q *query) number(name string, usual, least, most int64) int64 {
	text := q.Get(name)
	if !q.Has(name) {
		return usual
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		q.wrong(badQuery(name, "%s is a number from %d to %d, and not %q", name, least, most, text))
	}
	return n
}

// flag is whether a parameter is set: 1 or true.
func (q *query) flag(name string) bool {
	text := q.Get(name)
	if !slices.Contains([]string{"", "0", "false", "1", "true"}, text) {
		q.wrong(badQuery(name, "%s is 0 or 1, and not %q", name, text))
	}
	return text == "1" || text == "true"
}

// choice is one of words, of which the first is the usual one.
func (q *query) choice(name string, words ...string) string {
	text := cmp.Or(q.Get(name), words[0])
	if !slices.Contains(words, text) {
		q.wrong(badQuery(name, "%s is one of %s, and not %q", name, strings.Join(words, ", "), text).allow(words))
	}
	return text
}
