package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/web"
	"github.com/fsmc-dev/fsmc/runtime"
)

func newServe(s *streams) *cobra.Command {
	v := &serving{target: target{streams: s}}
	c := &cobra.Command{
		Use:   "serve",
		Short: "Show runs as pages in a browser, and steer them there",
		Long: `Serve shows the runs of a database as pages: what a run waits for, the drawing with
the way that it took, its history, and a form for each event that it takes. It prints
one line, the address. A SIGTERM or an interrupt ends it.

It listens on this computer only. Other users of the computer can open the pages, too.`,
		Example: `  fsmc serve --db runs.db
  fsmc serve --db runs.db --read-only --hide-data`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error { return v.serve(cmd.Context()) },
	}
	dbFlag(c, &v.db)
	f := c.Flags()
	f.StringVar(&v.addr, "addr", "127.0.0.1:8376", "listen on `HOST:PORT`; port 0 is one that is free")
	f.StringVar(&v.base, "base", "/", "the `PATH` below which the pages stand, behind a proxy: /fsmc/")
	f.BoolVar(&v.readOnly, "read-only", false, "only show: no page has a button, and the database is opened so")
	f.BoolVar(&v.hideData, "hide-data", false, "show no payloads, parameters, data, checkpoints and messages")
	f.Func("stuck", "how long a run may be in one state: an `AGE`, or STATE=AGE,...", func(text string) error { return runtime.ParseStuck(text, &v.health) })
	return c
}

// serving is one call of serve.
type serving struct {
	target
	addr, base         string
	readOnly, hideData bool
	health             runtime.HealthQuery
}

// closing is how long requests have to finish when the server ends.
const closing = 10 * time.Second

func (v *serving) serve(ctx context.Context) error {
	if err := v.usage(); err != nil {
		return err
	}
	m := readWrite
	if v.readOnly {
		m = readOnly
	}
	return v.with(ctx, m, "", func(store runtime.Store) error {
		listener, err := net.Listen("tcp", v.addr)
		if err != nil {
			return fmt.Errorf("--addr %s: %w", v.addr, reason(err))
		}
		server := &http.Server{
			Handler:           v.handler(store),
			ReadHeaderTimeout: 5 * time.Second,
			MaxHeaderBytes:    16 << 10,
		}
		fmt.Fprintf(v.out, "http://%s%s\n", listener.Addr(), v.base)
		return v.listen(ctx, server, listener)
	})
}

func (v *serving) usage() error {
	if !strings.HasPrefix(v.base, "/") || strings.Contains(v.base, "//") || strings.ContainsAny(v.base, "?#{} ") {
		return errors.New("--base is a path such as /fsmc/")
	}
	if !strings.HasSuffix(v.base, "/") {
		v.base += "/"
	}
	host, _, err := net.SplitHostPort(v.addr)
	if err != nil {
		return fmt.Errorf("--addr is HOST:PORT: %w", err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return errors.New("--addr is one of this computer: 127.0.0.1:PORT, [::1]:PORT or localhost:PORT")
	}
	return nil
}

// handler is all that the server answers.
func (v *serving) handler(store runtime.Store) http.Handler {
	pages := web.New(web.Options{
		Store: store, Engine: runtime.NewEngine(store), Base: v.base,
		ReadOnly: v.readOnly, HideData: v.hideData, Health: v.health,
		Actor: func(*http.Request) string { return "serve:" + user() },
	})
	return http.NewCrossOriginProtection().Handler(pages)
}

// listen answers until ctx is done.
func (v *serving) listen(ctx context.Context, server *http.Server, listener net.Listener) error {
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	if err := server.Shutdown(late); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}
