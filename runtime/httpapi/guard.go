package httpapi

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Guard keeps strangers away from a server of runs: pages of other sites that a browser shows
// beside ours, names of other hosts that lead to it, and who has no token. It stands before
// every door: API, streams, pages, MCP.
type Guard struct {
	// Hosts are the names by which the server may be asked, without ports: see HostsOf.
	// AnyHost lets all be asked for, as behind a Unix socket, which no page can reach.
	Hosts   []string
	AnyHost bool

	// Tokens are those that are asked for; where there are none every caller is User, and may change things.
	Tokens Tokens
	User   string // "serve:ada"

	// ReadOnly lets no caller change anything.
	ReadOnly bool

	// Base is the path below which all doors stand, as in "/fsmc"; usually empty.
	Base string

	wrong atomicPlaces // who waits after a wrong token
}

// Wrap puts the guard before a handler. The handler finds with CallerOf who asks. Methods other than GET and HEAD are
// for callers that may write, but for those doors that decide by what they are sent:
// simulate, bulk and /mcp.
func (g *Guard) Wrap(next http.Handler) http.Handler {
	origins := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secure(w.Header())
		if p := g.refuse(origins, r); p != nil {
			WriteProblem(w, p)
			return
		}
		caller, p := g.caller(r)
		if p == nil && !caller.Write && !g.reads(r) {
			if p = forbidden(caller); g.ReadOnly {
				p = readOnlyProblem()
			}
		}
		if p != nil {
			if p.Status == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", `Bearer realm="fsmc"`)
				w.Header().Add("WWW-Authenticate", `Basic realm="fsmc: any name, a token as password"`) // browsers ask the person
			}
			WriteProblem(w, p)
			return
		}
		next.ServeHTTP(w, r.WithContext(WithCaller(r.Context(), caller)))
	})
}

// contentPolicy lets a page load what its own server gives, and nothing else.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// secure sets the headers that each answer has.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// refuse says why a request does not come from where it may.
func (g *Guard) refuse(origins *http.CrossOriginProtection, r *http.Request) *Problem {
	if !g.AnyHost && !g.knows(r.Host) {
		return problem(http.StatusMisdirectedRequest, "host", "not this server", "this server is not %q: --host says by which names it may be asked", r.Host)
	}
	if err := origins.Check(r); err != nil {
		return problem(http.StatusForbidden, "origin", "another site asks", "a page of another site may not ask: %s", err)
	}
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" && !g.opensPage(r) {
		return problem(http.StatusForbidden, "origin", "another site asks", "a page of another site may not ask")
	}
	return nil
}

// knows reports whether a Host header names this server.
func (g *Guard) knows(host string) bool {
	if name, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil && port != "" {
			return false
		}
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if slices.ContainsFunc(g.Hosts, func(h string) bool { return strings.EqualFold(h, host) }) {
		return true
	}
	_, err := netip.ParseAddr(host)
	return err == nil && slices.Contains(g.Hosts, anyAddress) // no name leads here
}

// anyAddress stands in Hosts for whatever is an address, and no name.
const anyAddress = "*"

// HostsOf are the Hosts of a server that listens at an address: that address, localhost, and
// the names besides. One that listens everywhere is asked by any address, and by no name but these.
func HostsOf(listen string, names ...string) []string {
	hosts := append([]string{"localhost"}, names...)
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		host = listen
	}
	switch addr, err := netip.ParseAddr(host); {
	case host == "" || err == nil && addr.IsUnspecified():
		return append(hosts, anyAddress)
	case err == nil && addr.IsLoopback():
		return append(hosts, host, "127.0.0.1", "::1")
	}
	return append(hosts, host)
}

// opensPage reports whether a browser opens a page, as by a link on another site: what it shows
// there the other site cannot read.
func (g *Guard) opensPage(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document" {
		return false
	}
	path := strings.TrimPrefix(r.URL.Path, g.Base)
	return !slices.ContainsFunc(programDoors, func(door string) bool { return path == door || strings.HasPrefix(path, door+"/") })
}

// programDoors are for programs; what stands elsewhere is a page.
var programDoors = []string{"/api", "/health", "/metrics", "/mcp"}

// reads reports whether a request changes nothing, or its door decides that by what it is sent.
func (g *Guard) reads(r *http.Request) bool {
	switch strings.TrimPrefix(r.URL.Path, g.Base) {
	case base + "/simulate", base + "/bulk", "/mcp":
		return true
	}
	return r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions
}

// caller is who asks, by the token of the request.
func (g *Guard) caller(r *http.Request) (Caller, *Problem) {
	if len(g.Tokens) == 0 {
		return Caller{Name: g.User, Write: !g.ReadOnly}, nil
	}
	given := tokenOf(r)
	if given == "" {
		return Caller{}, problem(http.StatusUnauthorized, "token", "no token", "a token is missing: send it as Authorization: Bearer TOKEN")
	}
	t, known := g.Tokens.find(given)
	if known {
		return Caller{Name: t.Name, Write: t.Write && !g.ReadOnly}, nil
	}
	if !g.slow(r.Context()) {
		p := problem(http.StatusTooManyRequests, "token", "too many wrong tokens", "too many requests with a wrong token")
		p.retryAfter = "10"
		return Caller{}, p
	}
	return Caller{}, problem(http.StatusUnauthorized, "token", "wrong token", "the token is none of this server's")
}

// tokenOf is the token that a request has: as Bearer, or as the password of Basic, which browsers ask for.
func tokenOf(r *http.Request) string {
	if _, password, ok := r.BasicAuth(); ok {
		return password
	}
	kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(kind, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// Who sends a wrong token waits for so long, and no more than so many wait at once.
const (
	wrongWaits   = time.Second
	wrongWaiting = 32
)

// slow lets who tries tokens wait, and is false where too many wait already.
func (g *Guard) slow(ctx context.Context) bool {
	if !g.wrong.take(wrongWaiting) {
		return false
	}
	defer g.wrong.leave()
	select {
	case <-ctx.Done():
	case <-time.After(wrongWaits):
	}
	return true
}

// Server is an http.Server for handler, with limits for what strangers may send: headers, and the
// time until they and the body are there and the answer is read. Streams lift those for themselves.
func Server(handler http.Handler) *http.Server {
	return &http.Server{
		Handler: http.MaxBytesHandler(handler, MaxBody), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: answerWithin,
		WriteTimeout: 2 * answerWithin, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
	}
}

// Caller is who makes a request.
type Caller struct {
	Name  string // for history: "serve:ada", or the name of a token
	Write bool   // may change something
}

type callerKey struct{}

// WithCaller gives a context in which requests are made by c. A program with its own guard
// calls it for each request.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf is who makes the request of ctx; not known where no guard says so.
func CallerOf(ctx context.Context) (c Caller, known bool) {
	c, known = ctx.Value(callerKey{}).(Caller)
	return c, known
}

// Actor is who stands in history for a request: the caller, and behind it who the request
// says it is for, so that no caller speaks for another.
func Actor(r *http.Request, said string) string {
	c, known := CallerOf(r.Context())
	if !known {
		c.Name = "api"
	}
	if said == "" {
		return c.Name
	}
	return c.Name + "/" + said
}
