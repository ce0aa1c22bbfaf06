// Package pgproxy stands between the clients and the server of a PostgreSQL database, and
// does to them what networks do: it cuts connections between two messages of the protocol,
// loses replies, lets nothing through while the connections stay, and turns new ones away. It serves tests, and
// programs that show what happens then. It knows the protocol without TLS only.
package pgproxy

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// Verdict is what becomes of a message.
type Verdict int

// What a hook can say of a message.
const (
	Pass Verdict = iota
	// Cut ends the connection at both ends, before the message.
	Cut
	// Deafen passes the message of a client on; the client hears nothing more. The connection
	// ends when the server has answered.
	Deafen
)

// Message is one of the protocol: the byte of its type, 0 where it has none, and all its
// bytes, which a hook may replace.
type Message struct {
	Type  byte
	Bytes []byte
}

// Proxy listens on a port of this host.
type Proxy struct {
	url      string
	network  string
	address  string
	listener net.Listener

	mu        sync.Mutex
	changed   *sync.Cond // hole
	hole      [2]bool    // nothing gets through: to the server, to the client
	client    func(*Message) Verdict
	server    func(*Message) Verdict
	closed    bool
	links     map[*link]struct{}
	listening sync.WaitGroup
}

// link is one connection, with both its ends.
type link struct {
	p         *Proxy
	near, far net.Conn

	deaf atomic.Bool
	bare atomic.Bool // the server answers by one byte, without a type
}

// New listens for connections to the database at a URL.
func New(to string) (*Proxy, error) {
	parsed, err := url.Parse(to)
	if err != nil {
		return nil, errors.New("the proxy needs a URL")
	}
	p := &Proxy{links: map[*link]struct{}{}}
	p.changed = sync.NewCond(&p.mu)
	query := parsed.Query()
	host := cmp.Or(query.Get("host"), parsed.Hostname(), "localhost")
	port := cmp.Or(query.Get("port"), parsed.Port(), "5432")
	p.network, p.address = "tcp", net.JoinHostPort(host, port)
	if strings.HasPrefix(host, "/") {
		p.network, p.address = "unix", filepath.Join(host, ".s.PGSQL."+port)
	}
	if p.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	query.Del("host")
	query.Del("port")
	query.Set("sslmode", "disable")
	parsed.Host, parsed.RawQuery = p.listener.Addr().String(), query.Encode()
	p.url = parsed.String()
	p.listening.Go(p.accept)
	return p, nil
}

// URL is that of the database, by way of the proxy.
func (p *Proxy) URL() string { return p.url }

// Close ends all connections. No one is let in any more.
func (p *Proxy) Close() error {
	p.set(func() { p.closed = true })
	err := p.listener.Close()
	p.Cut()
	p.listening.Wait()
	return err
}

// Client has a function see each message of clients, but for those with which they begin.
func (p *Proxy) Client(hook func(*Message) Verdict) { p.set(func() { p.client = hook }) }

// Server has a function see each message of the server.
func (p *Proxy) Server(hook func(*Message) Verdict) { p.set(func() { p.server = hook }) }

// Hole lets nothing through to the server, to clients or both, until it is called again; what
// is said meanwhile waits. Connections stay, and new ones get no answer.
func (p *Proxy) Hole(toServer, toClient bool) {
	p.set(func() { p.hole = [2]bool{toServer, toClient} })
}

func (p *Proxy) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	p.changed.Broadcast()
}

// Cut ends all connections.
func (p *Proxy) Cut() {
	p.set(func() {
		for l := range p.links {
			l.close()
		}
	})
}

func (p *Proxy) accept() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		closed := p.closed
		p.mu.Unlock()
		if closed {
			_ = near.Close()
			continue
		}
		p.listening.Go(func() { p.serve(near) })
	}
}

// serve passes messages on until the connection ends.
func (p *Proxy) serve(near net.Conn) {
	far, err := net.Dial(p.network, p.address)
	if err != nil {
		_ = near.Close()
		return
	}
	l := &link{p: p, near: near, far: far}
	p.set(func() {
		if p.links[l] = struct{}{}; p.closed { // Cut has not seen it
			l.close()
		}
	})
	p.listening.Go(func() { l.pass(1, far, near) })
	l.pass(0, near, far)
	p.set(func() { delete(p.links, l) })
}

func (l *link) close() {
	_ = l.near.Close()
	_ = l.far.Close()
}

// verdict asks the hooks about a message, and waits while nothing gets through that way.
func (p *Proxy) verdict(way int, m *Message) (Verdict, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.hole[way] && !p.closed {
		p.changed.Wait()
	}
	if p.closed {
		return Cut, net.ErrClosed
	}
	hook := p.client
	if way == 1 {
		hook = p.server
	}
	if hook == nil || way == 0 && m.Type == 0 {
		return Pass, nil
	}
	v := hook(m)
	if v < Pass || v > Deafen || way == 1 && v == Deafen {
		return Cut, fmt.Errorf("no verdict on a message: %d", v)
	}
	return v, nil
}
