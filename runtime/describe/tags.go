package describe

import (
	"strings"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Tags are tags as --where takes them, by name: tag.for='Ada Lovelace' tag.team=pay.
func Tags(tags map[string]string) string {
	var terms []string
	for _, name := range machine.TagNames(tags) {
		terms = append(terms, Tag(name, tags[name]))
	}
	return strings.Join(terms, " ")
}

// Tag is a tag as --where takes it.
func Tag(name, value string) string { return Term("tag."+name, value) }

// Term is a term as --where takes it: parent=order-7.
func Term(key, value string) string {
	if strings.ContainsAny(value, " ,'\"") {
		value = "'" + strings.ReplaceAll(value, "'", "''") + "'"
	}
	return key + "=" + value
}
