package foreign

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Names are those of one name space. Each is valid, and no two are equal in the form
// in which Go exports them.
type Names struct {
	taken map[string]bool
	given map[string]string
}

// NewNames is a name space in which some names are taken already.
func NewNames(taken ...string) *Names {
	n := &Names{taken: map[string]bool{}, given: map[string]string{}}
	for _, name := range taken {
		n.taken[exported(name)] = true
	}
	return n
}

// reserved are the words of the language that are no names, and those that read
// badly as one.
var reserved = []string{
	"event", "done", "failed", "cancel", "now", "true", "false", "set", "unset", "run", "visit",
	"len", "min", "max", "text", "machine", "for", "null", "over_budget", "steps", "time", "retry",
	"bool", "int", "float", "string", "duration", "json", "unbounded", "reject", "ignore", "per", "when", "else", "is", "not", "in", "by",
}

func exported(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// Title gives a name in the form of states and events: "check status" is CheckStatus.
// The same original is given the same name each time.
func (n *Names) Title(original string) string { return n.TitleFor(original, original) }

// Snake gives a name in the form of fields and activities: "CheckStatus" is check_status.
func (n *Names) Snake(original string) string { return n.SnakeFor(original, original) }

// SnakeFor gives a name like that of words to what is known as original.
func (n *Names) SnakeFor(original, words string) string {
	return n.give(original, cmp.Or(SnakeCase(words), "unnamed"))
}

// TitleFor likewise.
func (n *Names) TitleFor(original, words string) string {
	return n.give(original, cmp.Or(title(words), "Unnamed"))
}

// Find is what was given for original, or empty.
func (n *Names) Find(original string) string { return n.given[original] }

func (n *Names) give(original, want string) string {
	if name, ok := n.given[original]; ok {
		return name
	}
	name := want
	for i := 2; n.taken[exported(name)] || slices.Contains(reserved, name); i++ {
		name = fmt.Sprintf("%s_%d", want, i)
	}
	n.taken[exported(name)] = true
	n.given[original] = name
	return name
}

// Renamed is the original name, in quotes, of what only readers of a machine know, where it is more than
// written another way; else it is empty.
func Renamed(original, name string) string {
	if strings.EqualFold(original, name) || SnakeCase(original) == name {
		return ""
	}
	return Quote(original)
}

// Free is want, or want with a number as format puts them together, which taken does not have, and has then.
func Free(taken map[string]bool, want, format string) string {
	name := want
	for i := 2; taken[name]; i++ {
		name = fmt.Sprintf(format, want, i)
	}
	taken[name] = true
	return name
}

// Valid reports whether s is a name as it stands.
func Valid(s string) bool {
	for i, r := range s {
		if r != '_' && !ascii(r) || i == 0 && r >= '0' && r <= '9' {
			return false
		}
	}
	return s != "" && len(s) <= longest
}

// longest is how long a name is at most that is made; longer ones are cut.
const longest = 60

func ascii(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

func title(s string) string {
	if Valid(s) && strings.Trim(s, "_") != "" {
		return strings.ToUpper(s[:1]) + s[1:]
	}
	var b strings.Builder
	for _, w := range words(s) {
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return lead(b.String(), "N")
}

// SnakeCase is s in small letters, words parted by underscores.
func SnakeCase(s string) string {
	var parts []string
	for _, w := range words(s) {
		parts = append(parts, strings.ToLower(humps(w)))
	}
	return lead(strings.Join(parts, "_"), "n")
}

// lead puts a letter before a digit, and cuts what is too long.
func lead(s, letter string) string {
	if s != "" && s[0] >= '0' && s[0] <= '9' {
		s = letter + s
	}
	return strings.TrimRight(s[:min(len(s), longest)], "_")
}

func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !ascii(r) })
}

// humps parts the words of checkHTTPStatus by underscores.
func humps(w string) string {
	var b strings.Builder
	runes := []rune(w)
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return b.String()
}
