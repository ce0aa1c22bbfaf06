package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
)

// Token lets a caller in.
type Token struct {
	Name  string // stands in history
	Write bool
	sum   [sha256.Size]byte
}

// Tokens are those of a file.
type Tokens []Token

// MinToken is the least bytes that a token has.
const MinToken = 32

// ParseTokens reads the lines of a token file: "read: TOKEN" may look, "write: TOKEN" may also
// change things. A name before the token, as in "write: ci TOKEN", stands in history; else the word before
// the colon does. Empty lines and those that begin with # are passed over.
func ParseTokens(text string) (Tokens, error) {
	var tokens Tokens
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		t, err := parseToken(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err) // without the line: it is a secret
		}
		if slices.ContainsFunc(tokens, func(other Token) bool { return other.sum == t.sum }) {
			return nil, fmt.Errorf("line %d: the token stands there twice", number)
		}
		tokens = append(tokens, t)
	}
	if len(tokens) == 0 {
		return nil, errors.New("there is no token in it: write a line \"read: TOKEN\" or \"write: TOKEN\"")
	}
	return tokens, nil
}

func parseToken(line string) (Token, error) {
	kind, rest, _ := strings.Cut(line, ":")
	if kind != "read" && kind != "write" {
		return Token{}, errors.New(`a line begins with "read:" or "write:"`)
	}
	words := strings.Fields(rest)
	name := kind
	if len(words) == 2 {
		name, words = words[0], words[1:]
	}
	switch {
	case len(words) != 1:
		return Token{}, fmt.Errorf("write it as %q or %q", kind+": TOKEN", kind+": NAME TOKEN")
	case len(words[0]) < MinToken:
		return Token{}, fmt.Errorf("the token has %d bytes, fewer than %d: openssl rand -hex 32 makes one", len(words[0]), MinToken)
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || r == '/' }) || len(name) > 100:
		return Token{}, errors.New("the name has at most 100 characters, and no slash")
	}
	return Token{Name: name, Write: kind == "write", sum: sha256.Sum256([]byte(words[0]))}, nil
}

// ReadTokens reads a token file, which nobody but its owner may read.
func ReadTokens(path string) (Tokens, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return nil, fmt.Errorf("file %q can be read by others (mode %04o): chmod 600 it", path, mode)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	tokens, err := ParseTokens(string(text))
	if err != nil {
		return nil, fmt.Errorf("file %q: %w", path, err)
	}
	return tokens, nil
}

// find finds a token, in a time that does not depend on which one was nearly right.
func (ts Tokens) find(given string) (found Token, known bool) {
	sum := sha256.Sum256([]byte(given))
	for _, t := range ts {
		if subtle.ConstantTimeCompare(sum[:], t.sum[:]) == 1 {
			found, known = t, true
		}
	}
	return found, known
}

// atomicPlaces is a number of places that can be taken.
type atomicPlaces struct{ taken atomic.Int64 }

func (p *atomicPlaces) take(most int64) bool {
	if p.taken.Add(1) > most {
		p.taken.Add(-1)
		return false
	}
	return true
}

func (p *atomicPlaces) leave() { p.taken.Add(-1) }
