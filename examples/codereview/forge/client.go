package forge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// LimitError says that the forge refuses for now.
type LimitError struct{ RetryAfter time.Duration }

// Error names the wait.
func (e *LimitError) Error() string {
	return fmt.Sprintf("the forge is rate-limited for %s", e.RetryAfter)
}

// StatusError is any other answer that is not what was asked for.
type StatusError struct {
	Code int
	Text string // of the body
}

// Error names the status and what the forge said.
func (e *StatusError) Error() string {
	return fmt.Sprintf("the forge answered %d %s: %s", e.Code, http.StatusText(e.Code), e.Text)
}

// Temporary reports whether err may be another the next time: the network's, or
// one of the server's own. It is where errors get their class.
func Temporary(err error) bool {
	var status *StatusError
	if errors.As(err, &status) {
		return status.Code >= 500
	}
	var network *url.Error
	return errors.As(err, &network)
}

// Client talks to the forge at URL.
type Client struct {
	URL  string
	HTTP *http.Client
}

// Announce asks the forge to take one comment on nothing in particular. A
// *LimitError says when to come back.
func (c Client) Announce(ctx context.Context, comment string) error {
	_, err := c.call(ctx, http.MethodPost, "/", comment, http.StatusCreated)
	return err
}

// Diff is the change of a pull request.
func (c Client) Diff(ctx context.Context, pull string) (string, error) {
	return c.call(ctx, http.MethodGet, "/pulls/"+url.PathEscape(pull)+"/diff", "", http.StatusOK)
}

// Comments are the references of the comments that stand in the thread.
func (c Client) Comments(ctx context.Context, pull string) (map[string]bool, error) {
	text, err := c.call(ctx, http.MethodGet, "/pulls/"+url.PathEscape(pull)+"/comments", "", http.StatusOK)
	if err != nil {
		return nil, err
	}
	var thread []string
	if err := json.Unmarshal([]byte(text), &thread); err != nil {
		return nil, fmt.Errorf("the thread of %s: %w", pull, err)
	}
	posted := map[string]bool{}
	for _, reference := range thread {
		posted[reference] = true
	}
	return posted, nil
}

// Comment posts one comment to the thread, and another one with each call. A
// *LimitError says when to call again.
func (c Client) Comment(ctx context.Context, pull, reference string) error {
	_, err := c.call(ctx, http.MethodPost, "/pulls/"+url.PathEscape(pull)+"/comments", reference, http.StatusCreated)
	return err
}

// maxBody is the most that is read of an answer.
const maxBody = 1 << 20

func (c Client) call(ctx context.Context, method, path, body string, want int) (string, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	switch {
	case err != nil:
		return "", err
	case resp.StatusCode == want:
		return string(text), nil
	case resp.StatusCode == http.StatusTooManyRequests:
		seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err != nil {
			return "", errors.New("the forge refuses and does not say for how long")
		}
		return "", &LimitError{RetryAfter: time.Duration(seconds) * time.Second}
	}
	return "", &StatusError{Code: resp.StatusCode, Text: strings.TrimSpace(string(text))}
}
