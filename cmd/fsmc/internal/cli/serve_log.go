//go:build !hook

package cli

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/httpapi"
)

// answered is a ResponseWriter that knows the status of the answer.
type answered struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the status.
func (a *answered) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap lets streams flush, and lift their deadlines.
func (a *answered) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// logged writes a line for each request when its answer has ended.
func logged(next http.Handler, logger *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		a := &answered{w, http.StatusOK}
		next.ServeHTTP(a, r)
		logger.Info("request", "method", r.Method, "path", r.URL.Path, "code", a.status,
			"ms", time.Since(begun).Milliseconds(), "actor", httpapi.Actor(r, ""))
	})
}
