package httpapi

import (
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
			p := badQuery(name, "there is no parameter %q%s", name, machine.DidYouMean(name, names))
			p.Allowed = names
			return p
		}
		if len(given) > 1 {
			return badQuery(name, "%q is given twice", name)
		}
	}
	return nil
}

// number is a number of the query between least and most, or what it is where it is not given.
func number(r *http.Request, name string, usual, least, most int64) (int64, error) {
	text := r.URL.Query().Get(name)
	if !r.URL.Query().Has(name) {
		return usual, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, badQuery(name, "%s is a number from %d to %d, and not %q", name, least, most, text)
	}
	return n, nil
}

// flag is whether a parameter of the query is set: 1 or true.
func flag(r *http.Request, name string) (bool, error) {
	switch text := r.URL.Query().Get(name); text {
	case "", "0", "false":
		return false, nil
	case "1", "true":
		return true, nil
	default:
		return false, badQuery(name, "%s is 0 or 1, and not %q", name, text)
	}
}

// choice is one of words, of which the first is the usual one.
func choice(r *http.Request, name string, words ...string) (string, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return words[0], nil
	}
	if !slices.Contains(words, text) {
		p := badQuery(name, "%s is one of %s, and not %q", name, strings.Join(words, ", "), text)
		p.Allowed = words
		return "", p
	}
	return text, nil
}
