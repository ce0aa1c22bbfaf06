package postgres

import (
	"net"
	"time"
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
