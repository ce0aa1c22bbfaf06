package postgres

import (
	"errors"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

// errURL is the error of a URL that cannot be taken apart. It says nothing of it, since no one
// knows which part of it is the password.
var errURL = errors.New("it cannot be read: in a user or password, write / as %2F, ? as %3F, # as %23, @ as %40, : as %3A and % as %25; a port is a number, and the folder of a socket stands behind the path: ?host=/folder")

// parseURL reads a URL. No error has a part of the password: one that has characters of a URL in it
// may look like a host, a port or a name of a database, and such a URL is refused.
func parseURL(text string) (*pgxpool.Config, error) {
	parsed, err := url.Parse(text)
	if err != nil || misread(text, parsed) {
		return nil, errURL
	}
	query, err := url.ParseQuery(parsed.RawQuery)
	if err != nil {
		return nil, errURL
	}
	config, err := pgxpool.ParseConfig(text)
	if err == nil {
		return config, nil
	}
	reason := err.Error()
	if i := strings.LastIndex(reason, "`: "); i >= 0 {
		reason = reason[i+3:]
	}
	for _, secret := range secrets(parsed, query) {
		if strings.Contains(reason, secret) {
			return nil, errURL
		}
	}
	return nil, errors.New(reason)
}

// misread reports whether a URL that can be taken apart looks as if the "@" behind its user stood in another
// part of it, or were not the only one.
func misread(text string, u *url.URL) bool {
	_, authority, _ := strings.Cut(text, "://")
	if i := strings.IndexAny(authority, "/?#"); i >= 0 {
		authority = authority[:i]
	}
	if u.Fragment != "" || strings.Count(authority, "@") > 1 || strings.Contains(u.Path, "@") {
		return true
	}
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		if name, _, _ := strings.Cut(part, "="); strings.ContainsAny(name, "@/:") {
			return true
		}
	}
	return u.User == nil && strings.Contains(u.RawQuery, "@") && strings.Contains(u.Host, ":") && !strings.Contains(u.RawQuery, "password=")
}

// secrets are what no message may have of a URL.
func secrets(u *url.URL, query url.Values) (all []string) {
	add := func(text string) {
		if text != "" {
			all = append(all, text, url.QueryEscape(text), url.PathEscape(text))
		}
	}
	if password, ok := u.User.Password(); ok {
		add(password)
		_, raw, _ := strings.Cut(u.User.String(), ":")
		add(raw)
	}
	for name, values := range query {
		if strings.Contains(strings.ToLower(name), "pass") {
			for _, value := range values {
				add(value)
			}
		}
	}
	return all
}
