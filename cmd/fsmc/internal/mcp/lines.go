package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine is the most bytes of a line.
const maxLine = 16 << 20

// lines is the one client on a pair of streams, a message on each line. A line that is no message is
// answered, and the next one is read; the SDK's own transport ends there.
type lines struct {
	in     io.Reader
	out    io.Writer
	mu     sync.Mutex // of out
	read   chan line
	closed chan struct{}
	once   sync.Once
}

type line struct {
	text []byte
	err  error
}

func newLines(in io.Reader, out io.Writer) *lines {
	return &lines{in: in, out: out, read: make(chan line), closed: make(chan struct{})}
}

// Connect implements sdk.Transport. The goroutine ends with in: a read cannot be broken off.
func (l *lines) Connect(context.Context) (sdk.Connection, error) {
	go func() {
		in := bufio.NewReader(l.in)
		for {
			text, err := next(in)
			select {
			case l.read <- line{text, err}:
			case <-l.closed:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return l, nil
}

// next is a line, of which no more is kept than what shows that it is too long.
func next(in *bufio.Reader) (text []byte, err error) {
	for err = bufio.ErrBufferFull; err == bufio.ErrBufferFull; {
		var part []byte
		part, err = in.ReadSlice('\n')
		if len(text) <= maxLine {
			text = append(text, part...)
		}
	}
	if err == io.EOF && len(text) > 0 {
		err = nil
	}
	return text, err
}

// Read implements sdk.Connection.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-l.closed:
			return nil, io.EOF
		case got := <-l.read:
			text := bytes.TrimSpace(got.text)
			if got.err != nil {
				return nil, got.err
			} else if len(text) == 0 {
				continue
			}
			msg, refused := message(text)
			if refused == nil {
				return msg, nil
			}
			answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": refused})
			if err == nil {
				err = l.put(answer)
			}
			if err != nil {
				return nil, err
			}
		}
	}
}

// message is what stands on a line.
func message(text []byte) (jsonrpc.Message, *jsonrpc.Error) {
	var raw json.RawMessage
	switch err := json.Unmarshal(text, &raw); {
	case len(text) > maxLine:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is longer than 16 MiB"}
	case !utf8.Valid(text):
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is not valid UTF-8"}
	case err != nil:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is not JSON: " + err.Error()}
	case text[0] == '[':
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "a line is one message, and no batch of them"}
	}
	msg, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
	}
	return msg, nil
}

// Write implements sdk.Connection.
func (l *lines) Write(_ context.Context, msg jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	return l.put(text)
}

func (l *lines) put(text []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.out.Write(append(text, '\n'))
	return err
}

// Close implements sdk.Connection. The streams stay open.
func (l *lines) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// SessionID implements sdk.Connection.
func (l *lines) SessionID() string { return "" }
