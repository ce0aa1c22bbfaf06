package foreign

// Tokens are those of an expression, of which a parser takes one after another.
type Tokens struct{ rest []string }

// NewTokens are those of a list, of which none is empty.
func NewTokens(tokens []string) Tokens { return Tokens{tokens} }

// Peek is the next one; empty behind the last.
func (t *Tokens) Peek() string {
	if len(t.rest) == 0 {
		return ""
	}
	return t.rest[0]
}

// Next is Peek, and takes it.
func (t *Tokens) Next() string {
	next := t.Peek()
	t.rest = t.rest[min(1, len(t.rest)):]
	return next
}

// Joined are parts between which word stands, joined by op; it ends where bad is set.
func (t *Tokens) Joined(word, op string, bad *bool, part func() string) string {
	text := part()
	for !*bad && t.Peek() == word {
		t.Next()
		text += " " + op + " " + part()
	}
	return text
}

// Left reports whether there is another one.
func (t *Tokens) Left() bool { return len(t.rest) > 0 }
