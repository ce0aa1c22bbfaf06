package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// maxMessage is the largest message that is read, in bytes: the escaped form of the
// largest text that the parser reads has room in it.
const maxMessage = 160 << 20

const maxHeader = 4096

// stream frames messages. What is no message is answered with the protocol's error, and
// what comes behind it is read all the same: a server that ends takes all findings with it.
type stream struct {
	in  *bufio.Reader
	out io.Writer
	mu  sync.Mutex // of out
}

// WriteObject sends one message.
func (s *stream) WriteObject(obj any) error {
	body, err := json.Marshal(obj)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err = fmt.Fprintf(s.out, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

// ReadObject reads the next message that is one.
func (s *stream) ReadObject(v any) error {
	for {
		size, err := s.header()
		if err != nil {
			return err
		}
		if size > maxMessage {
			if _, err := io.CopyN(io.Discard, s.in, size); err != nil {
				return err
			}
			if err := s.refuse(jsonrpc2.CodeInvalidRequest, fmt.Sprintf("a message of %d bytes; at most %d are read", size, maxMessage)); err != nil {
				return err
			}
			continue
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(s.in, body); err != nil {
			return io.EOF // in the middle of a message nothing is left to be answered
		}
		if err := json.Unmarshal(body, v); err == nil {
			return nil
		}
		code, why := jsonrpc2.CodeInvalidRequest, "this is neither a request nor an answer"
		if !json.Valid(body) {
			code, why = jsonrpc2.CodeParseError, "this is no JSON"
		}
		if err := s.refuse(int64(code), why); err != nil {
			return err
		}
	}
}

// Close does nothing: whoever made the streams closes them.
func (s *stream) Close() error { return nil }

// refuse answers what has no id.
func (s *stream) refuse(code int64, why string) error {
	return s.WriteObject(map[string]any{
		"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": why},
	})
}

// header reads lines up to an empty one behind a length, and gives the length. Lines that
// say nothing of it are passed over.
func (s *stream) header() (size int64, err error) {
	size = -1
	for {
		line, err := s.in.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = s.in.ReadSlice('\n')
		}
		if err != nil {
			return 0, io.EOF
		}
		text := strings.TrimRight(string(line), "\r\n")
		name, value, _ := strings.Cut(text, ":")
		switch {
		case text == "" && size >= 0:
			return size, nil
		case strings.EqualFold(strings.TrimSpace(name), "Content-Length"):
			n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			if err != nil || n < 0 {
				if err := s.refuse(jsonrpc2.CodeParseError, "this is no length: "+strconv.Quote(value)); err != nil {
					return 0, err
				}
				continue
			}
			size = n
		}
	}
}
