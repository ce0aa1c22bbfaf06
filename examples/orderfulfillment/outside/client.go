package outside

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Client asks the services of a World.
type Client struct {
	URL  string
	HTTP *http.Client
}

// RefusedError is a service's refusal: asking again under the same key gives the
// same.
type RefusedError struct{ Why string }

// Error is the reason that the service gives.
func (e *RefusedError) Error() string { return e.Why }

// ErrDown says that a service has failed. Whether the work is done is not known.
var ErrDown = errors.New("the service is down")

// Call asks a service for something under an idempotency key. The error is a
// *RefusedError, wraps ErrDown, or is one of the connection.
func (c *Client) Call(ctx context.Context, service, key string, r Request) (Answer, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return Answer{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+"/"+service, bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	req.Header.Set("Idempotency-Key", key)
	// net/http repeats a request with such a header by itself when a
	// kept-alive connection turns out to be closed. That is for the machine to do.
	req.GetBody = nil
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer resp.Body.Close()
	answer := Answer{Code: resp.StatusCode}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<16)).Decode(&answer); err != nil {
		return Answer{}, fmt.Errorf("reading the answer of %q: %w", service, err)
	}
	switch {
	case answer.Code == http.StatusOK:
		return answer, nil
	case answer.Code < http.StatusInternalServerError:
		return answer, &RefusedError{Why: answer.Why}
	}
	return answer, fmt.Errorf("%w: %s answers %d, %s", ErrDown, service, answer.Code, answer.Why)
}
