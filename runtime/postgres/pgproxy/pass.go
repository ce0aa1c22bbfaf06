package pgproxy

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
)

// Requests that come before a connection begins, and are answered by one byte.
const (
	sslRequest = 80877103
	gssRequest = 80877104
	cancelling = 80877102
)

// maxMessage is more than any that tests send.
const maxMessage = 1 << 28

// pass passes the messages of one way on, until the connection ends.
func (l *link) pass(way int, from, to net.Conn) {
	defer l.close()
	in := bufio.NewReader(from)
	begun := way == 1 // clients begin without a type
	for {
		m, err := l.next(in, way, begun)
		if err != nil {
			return
		}
		if way == 0 && !begun {
			begun = l.begins(&m)
		}
		v, err := l.p.verdict(way, &m)
		if err != nil || v == Cut {
			return
		}
		if way == 1 && l.deaf.Load() {
			if m.Type == 'Z' { // the server is done
				return
			}
			continue
		}
		if v == Deafen {
			l.deaf.Store(true)
		}
		if _, err := to.Write(m.Bytes); err != nil {
			return
		}
	}
}

// next reads a message.
func (l *link) next(in *bufio.Reader, way int, begun bool) (m Message, err error) {
	if way == 1 {
		if first, err := in.Peek(1); err != nil {
			return m, err
		} else if l.bare.Swap(false) {
			_, err = in.Discard(1)
			return Message{Bytes: []byte{first[0]}}, err
		}
	}
	head := 4
	if begun {
		head = 5
	}
	m.Bytes = make([]byte, head)
	if _, err := io.ReadFull(in, m.Bytes); err != nil {
		return m, err
	}
	if begun {
		m.Type = m.Bytes[0]
	}
	length := binary.BigEndian.Uint32(m.Bytes[head-4:])
	if length < 4 || length > maxMessage {
		return m, errors.New("the length of a message")
	}
	body := make([]byte, length-4)
	if _, err := io.ReadFull(in, body); err != nil {
		return m, err
	}
	m.Bytes = append(m.Bytes, body...)
	return m, nil
}

// begins reports whether a message without a type is the last one of that kind.
func (l *link) begins(m *Message) bool {
	if len(m.Bytes) < 8 {
		return true
	}
	switch binary.BigEndian.Uint32(m.Bytes[4:]) {
	case sslRequest, gssRequest:
		l.bare.Store(true)
		return false
	case cancelling:
		return false
	}
	return true
}
