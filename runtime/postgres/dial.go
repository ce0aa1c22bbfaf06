package postgres

import (
	"context"
	"net"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
)

// A host that has lost its power, or a network that lets nothing through, ends no connection. Left to itself, a system
// waits for two hours where it has sent nothing, and for a quarter of an hour where it has: a worker would wait that long for a
// server that a standby has replaced. A server that is only slow acknowledges what it is sent.
const (
	silentFor  = 20 * time.Second
	probeEvery = 5 * time.Second
)

var dialer = net.Dialer{
	KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: silentFor - 2*probeEvery, Interval: probeEvery, Count: 2},
	Control:         limitSilence,
}

// dial makes a connection to the server.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := dialer.DialContext(ctx, network, address)
	if failpoint.Enabled && err == nil {
		conn = mortal{conn}
	}
	return conn, err
}

// mortal is a connection of a process that a test kills: a transaction is one message of many statements, mostly, so that a
// process dies with it unsent, sent in part, sent, or answered.
type mortal struct{ net.Conn }

func (m mortal) Write(message []byte) (int, error) {
	failpoint.Hit(failpoint.Unsent)
	half := len(message) / 2
	if n, err := m.Conn.Write(message[:half]); err != nil {
		return n, err
	}
	failpoint.Hit(failpoint.HalfSent)
	n, err := m.Conn.Write(message[half:])
	if err == nil {
		failpoint.Hit(failpoint.Sent)
	}
	return half + n, err
}

func (m mortal) Read(into []byte) (int, error) {
	n, err := m.Conn.Read(into)
	if err == nil {
		failpoint.Hit(failpoint.Answered)
	}
	return n, err
}
