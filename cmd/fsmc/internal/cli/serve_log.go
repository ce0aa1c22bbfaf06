//go:build !hook

package cli

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/httpapi"
)

// logged writes a line for each request when its answer has ended.
func logged(next http.Handler, logger *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		a := httpapi.SeeStatus(w)
		next.ServeHTTP(a, r)
		logger.Info("request", "method", r.Method, "path", r.URL.Path, "code", a.Status,
			"ms", time.Since(begun).Milliseconds(), "actor", httpapi.Actor(r, ""))
	})
}
