//go:build !hook

package cli

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	goruntime "runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/mcp"
	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/web"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/httpapi"
)

func newServe(s *streams) *cobra.Command {
	v := &serving{runner: runner{streams: s, workers: 1, concurrency: 16, lease: 30 * time.Second}}
	c := &cobra.Command{
		Use:   "serve",
		Short: "Show and steer runs in a browser, and answer programs",
		Long: `Serve shows the runs of a database as pages: what a run waits for, the diagram with
the path that it took, its history, and a form for each event that it takes. It answers
programs with JSON below /api/v1, agents at /mcp, and monitors at /health and
/health/workflows. It prints one line, the address. After a SIGTERM or an interrupt,
requests have ten seconds to finish.

With --work, it also works on the runs, as fsmc run --follow does, and waits like that for a
database that does not exist yet.

Who may do what:
  - Without tokens, the server listens on this computer only, and every user of the computer
    can do what you can. If there are others, use --token-file, or --addr unix:PATH, which
    only you can open.
  - A token file has lines "read: TOKEN" and "write: TOKEN", or "write: NAME TOKEN", with tokens
    of 32 bytes or more. Only its owner may read it (mode 0600). Programs send a token as
    Authorization: Bearer; a browser asks for it as a password, with any name.
  - To listen on other addresses, --token-file is needed, and --tls-cert with --tls-key.
    With --insecure-http, no certificate is needed: use it behind a proxy that has one.
  - A request is refused if its host name is not the address, localhost or a --host. So a
    page of another site cannot reach the server by a host name of that site.`,
		Example: `  fsmc serve --db runs.db
  fsmc serve --db runs.db --work --activities ./activities --open
  fsmc serve --db runs.db --addr 0.0.0.0:8376 --host runs.example --token-file tokens --tls-cert c.pem --tls-key k.pem`,
		RunE: func(cmd *cobra.Command, _ []string) error { return v.serve(cmd.Context()) },
	}
	dbFlag(c, &v.db)
	f := c.Flags()
	f.StringVar(&v.addr, "addr", "127.0.0.1:8376", "listen on `HOST:PORT`, where port 0 is one that is free, or on unix:PATH")
	f.StringVar(&v.base, "base", "/", "the `PATH` below which all pages are, for a proxy: /fsmc/")
	f.BoolVar(&v.readOnly, "read-only", false, "only show: no page has a button, and the database is opened for reading")
	f.BoolVar(&v.hideData, "hide-data", false, "leave out payloads, parameters, data, checkpoints and messages")
	f.StringVar(&v.tokenFile, "token-file", "", "accept only requests with a token of this `FILE`")
	f.StringVar(&v.cert, "tls-cert", "", "the certificate, a PEM `FILE`")
	f.StringVar(&v.key, "tls-key", "", "its key, a PEM `FILE`")
	f.BoolVar(&v.insecure, "insecure-http", false, "allow addresses other than this computer's without a certificate")
	f.StringArrayVar(&v.hosts, "host", nil, "a further host `NAME` that requests may use; repeat for more")
	f.StringVar(&v.activities, "activities", "", "the folder with the executables of activities and host guards, `DIR`")
	f.StringVar(&v.worker, "worker", "", "start `CMD`, which reads attempts on standard input and makes them")
	f.StringVar(&v.outbox, "outbox", "", "with --work, give each published message to `CMD`")
	f.BoolVar(&v.work, "work", false, "also work on the runs, as fsmc run --follow does")
	chooseFlag(c, &v.logJSON, "log-format", "text", "how to log to standard error: text has what goes wrong; json also each request, step and attempt",
		option[bool]{"text", false}, option[bool]{"json", true})
	f.BoolVar(&v.open, "open", false, "open the page in a browser")
	f.Func("stuck", "how long a run may be in one state: an `AGE`, or STATE=AGE,...", func(text string) error { return runtime.ParseStuck(text, &v.health) })
	c.MarkFlagsMutuallyExclusive("activities", "worker")
	c.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	c.MarkFlagsMutuallyExclusive("read-only", "work")
	return c
}

type serving struct {
	runner
	addr, base           string
	tokenFile, cert, key string
	hosts                []string
	readOnly, hideData   bool
	insecure, work, open bool
	health               runtime.HealthQuery
}

// closing is how long requests have to finish when the server ends.
const closing = 10 * time.Second

func (v *serving) serve(ctx context.Context) error {
	if err := v.usage(); err != nil {
		return err
	}
	var tokens httpapi.Tokens
	if v.tokenFile != "" {
		var err error
		if tokens, err = httpapi.ReadTokens(v.tokenFile); err != nil {
			return fmt.Errorf("--token-file: %w", err)
		}
	}
	m := writing(!v.readOnly)
	switch {
	case v.work && isServer(v.db):
		m = create // as the first worker does
	case v.work && v.waitForDatabase(ctx) != nil:
		return nil // stopped before there was anything to serve
	}
	t := target{streams: v.streams, db: v.db}
	return t.with(ctx, m, "", func(store runtime.Store) error {
		listener, err := v.bind()
		if err != nil {
			return err
		}
		defer listener.Close()
		return v.withWorkers(ctx, func(ctx context.Context) error { return v.answer(ctx, store, listener, tokens) })
	})
}

// usage refuses flags that do not go together.
func (v *serving) usage() error {
	if !strings.HasPrefix(v.base, "/") || strings.Contains(v.base, "//") || strings.ContainsAny(v.base, "?#{}% ") {
		return errors.New("--base is a path such as /fsmc/")
	}
	if !strings.HasSuffix(v.base, "/") {
		v.base += "/"
	}
	if v.cert != "" {
		if _, err := tls.LoadX509KeyPair(v.cert, v.key); err != nil {
			return fmt.Errorf("--tls-cert and --tls-key: %w", err)
		}
	}
	if v.work && v.activities == "" && v.worker == "" {
		return errors.New("--work needs --activities DIR or --worker CMD: it says what does the work")
	}
	if v.outbox != "" && !v.work {
		return errors.New("--outbox needs --work: a server that only answers delivers no message")
	}
	if err := v.checkActivities(); err != nil {
		return err
	}
	if v.socket() != "" {
		return nil
	}
	host, _, err := net.SplitHostPort(v.addr)
	if err != nil {
		return fmt.Errorf("--addr is HOST:PORT, or unix:PATH: %w", err)
	}
	ip := net.ParseIP(host)
	switch local := host == "localhost" || ip != nil && ip.IsLoopback(); {
	case local:
		return nil
	case v.tokenFile == "":
		return errors.New("--addr is not of this computer alone: --token-file says who may come in")
	case v.cert == "" && !v.insecure:
		return errors.New("--addr is not of this computer alone: --tls-cert and --tls-key keep others from reading along, or --insecure-http says that something else does")
	}
	return nil
}

// socket is the path of unix:PATH.
func (v *serving) socket() string {
	path, _ := strings.CutPrefix(v.addr, "unix:")
	if path == v.addr {
		return ""
	}
	return path
}

func (v *serving) bind() (net.Listener, error) {
	path := v.socket()
	if path == "" {
		listener, err := net.Listen("tcp", v.addr)
		return listener, v.noListener(err)
	}
	// A socket that a server left behind when it was killed is in the way; one that answers is not.
	if c, err := net.Dial("unix", path); err == nil {
		c.Close()
		return nil, v.noListener(syscall.EADDRINUSE)
	}
	switch info, err := os.Lstat(path); {
	case err == nil && info.Mode()&os.ModeSocket == 0:
		return nil, v.noListener(errors.New("a file is there, and no socket: name another path"))
	case err == nil:
		_ = os.Remove(path) // what is then wrong, the next call says
	}
	listener, err := listenPrivately(path)
	return listener, v.noListener(err)
}

// noListener says why the server cannot listen, if it cannot.
func (v *serving) noListener(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("--addr %s: another server listens there: stop it, or name another address", v.addr)
	}
	if e := new(net.OpError); errors.As(err, &e) {
		err = e.Err // without the address again
	}
	return fmt.Errorf("--addr %s: %w", v.addr, err)
}

// answer answers, and with --work works, until ctx is done.
func (v *serving) answer(ctx context.Context, store runtime.Store, listener net.Listener, tokens httpapi.Tokens) error {
	v.quiet, v.asJSON = !v.logJSON, true // standard output has the address alone
	options := v.options()
	if v.activities != "" || v.worker != "" {
		found := &finder{runner: &v.runner, said: map[string]string{}}
		options = append(options, runtime.WithHandlers(found.find))
	}
	engine := runtime.NewEngine(store, options...)
	agents, err := mcp.New(ctx, mcp.Options{
		Engine: engine, ReadOnly: v.readOnly, HideData: v.hideData, Version: version(), Front: mcpFrontEnd(),
	})
	if err != nil {
		return err
	}
	handler, api := v.handler(store, engine, listener, tokens, agents)
	defer api.Close()
	server := httpapi.Server(handler)
	server.RegisterOnShutdown(api.Close) // streams end, and pages look for another server
	ended := make(chan error, 2)
	go func() { ended <- v.listen(server, listener) }()
	working, stop := context.WithCancel(ctx)
	defer stop()
	workers := 0
	if v.work {
		workers = 1
		go func() { ended <- engine.Run(working) }()
	}
	v.sayAddress(listener)
	select {
	case err = <-ended: // one of the two cannot go on
	case <-ctx.Done():
		workers++
	}
	stop()
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	_ = server.Shutdown(late) // who is still there after that time is left
	for range workers {
		if last := <-ended; err == nil {
			err = last
		}
	}
	return err
}

// listen answers until the server is shut down.
func (v *serving) listen(server *http.Server, listener net.Listener) (err error) {
	if v.cert != "" {
		err = server.ServeTLS(listener, v.cert, v.key)
	} else {
		err = server.Serve(listener)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// handler is all that the server answers.
func (v *serving) handler(store runtime.Store, engine *runtime.Engine, listener net.Listener, tokens httpapi.Tokens, agents *mcp.Server) (http.Handler, *httpapi.API) {
	prefix := strings.TrimSuffix(v.base, "/")
	logger := v.log
	if logger == nil {
		logger = slog.New(slog.NewTextHandler(v.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	options := []httpapi.Option{httpapi.WithPrefix(prefix), httpapi.WithHealth(v.health), httpapi.WithVersion(version())}
	if v.readOnly {
		options = append(options, httpapi.WithReadOnly())
	}
	if v.hideData {
		options = append(options, httpapi.WithHiddenData())
	}
	pages := web.New(web.Options{
		Store: store, Engine: engine, Base: v.base, ReadOnly: v.readOnly, HideData: v.hideData, Health: v.health, Logger: logger, Bounds: boundsText,
	})
	api := httpapi.New(engine, append(options, httpapi.WithFrontEnd(pages))...)
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	for _, r := range api.Routes() {
		mux.Handle(r.Method+" "+r.Path, api)
	}
	mux.Handle("/api/", api)
	mux.Handle("/mcp", agents.Handler())
	guard := &httpapi.Guard{
		Hosts: httpapi.HostsOf(listener.Addr().String(), v.hosts...), AnyHost: v.socket() != "",
		Tokens: tokens, User: "serve:" + user(), ReadOnly: v.readOnly, Base: prefix,
	}
	return guard.Wrap(http.StripPrefix(prefix, logged(mux, logger))), api
}

// sayAddress prints the address, and opens it where that is asked for.
func (v *serving) sayAddress(listener net.Listener) {
	scheme := "http"
	if v.cert != "" {
		scheme = "https"
	}
	if v.socket() != "" {
		fmt.Fprintf(v.out, "%s, at %s\n", v.addr, v.base)
		return
	}
	address := scheme + "://" + listener.Addr().String() + v.base
	fmt.Fprintln(v.out, address)
	if v.open {
		opener := cmp.Or(map[string]string{"darwin": "open", "windows": "explorer"}[goruntime.GOOS], "xdg-open")
		if err := exec.Command(opener, address).Start(); err != nil {
			fmt.Fprintf(v.err, "fsmc: --open: %v\n", err)
		}
	}
}

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

// boundsText is the worst case of a machine, as fsmc check --format json has it.
func boundsText(m *ir.Machine) json.RawMessage {
	text, err := json.Marshal(boundsJSON(check.Bounds(m, explore.DefaultLimit), false))
	if err != nil || string(text) == "null" {
		return nil
	}
	return text
}
