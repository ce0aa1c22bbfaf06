package postgres_test

import (
	"net"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
)

// TestSilence: a connection over a network ends when the other side has been silent for 20 seconds. A real silence needs the
// rights to make one: what is looked at is what the system has been told.
func TestSilence(t *testing.T) {
	at := pgtest.URL(t)
	s := open(t, between(t, at).URL()) // over TCP
	want := map[int]int{18: 20_000, syscall.TCP_KEEPIDLE: 10, syscall.TCP_KEEPINTVL: 5, syscall.TCP_KEEPCNT: 2}
	if err := postgres.OnConn(t.Context(), s, func(c *pgconn.PgConn) {
		raw, err := c.Conn().(*net.TCPConn).SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		if err := raw.Control(func(fd uintptr) {
			for option, value := range want {
				if got, err := syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, option); err != nil || got != value {
					t.Errorf("option %d is %d, and not %d: %v", option, got, value, err)
				}
			}
		}); err != nil {
			t.Fatal(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	open(t, at).Close() // over a socket, which knows none of it
}

// TestNoLimit: a connection that knows no such limit, on a system that has none, is made all the same.
func TestNoLimit(t *testing.T) {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(t, err)
	defer conn.Close()
	raw, err := conn.(*net.UDPConn).SyscallConn()
	must(t, err)
	var refused error
	must(t, raw.Control(func(fd uintptr) { refused = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, 18, 1) }))
	if refused == nil {
		t.Fatal("it knows one")
	}
	must(t, postgres.LimitSilence("tcp", "", raw))
}
