package fsmc_test

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// TestJSONInDocs holds the tables of docs/runtime.md that name the fields of a report
// against the type that is printed. A row has fields in its first cell; where those
// are objects, or lists of them, its second cell has all fields of these, or a table of their own.
func TestJSONInDocs(t *testing.T) {
	for _, c := range []struct {
		header   string
		report   any
		optional string // the first field that can be left out, and all behind it
	}{
		{"| `fsmc show --format json` | |", runtime.View{}, "outcome"},
		{"| `--format json` | rows of |", runtime.Stats{}, ""},
	} {
		fields := jsonFields(reflect.TypeOf(c.report))
		seen := map[string]bool{}
		optional := false
		for _, row := range tableBelow(t, "docs/runtime.md", c.header) {
			for _, name := range quotedNames(row[0]) {
				f, ok := fields[name]
				if !ok || seen[name] {
					t.Errorf("%s: there is no %q, or it is there twice", c.header, name)
					continue
				}
				seen[name] = true
				optional = optional || name == c.optional
				if f.optional != optional {
					t.Errorf("%s: %q stands on the wrong side of %q", c.header, name, c.optional)
				}
				below := namesBelow(f.typ)
				told := append(quotedNames(row[1]), namesOfEach(t, name)...)
				for _, name := range below {
					if !slices.Contains(told, name) {
						t.Errorf("%s: the row %s does not have %q", c.header, row[0], name)
					}
				}
				for _, name := range told {
					if len(below) > 0 && !slices.Contains(below, name) {
						t.Errorf("%s: the row %s has %q, which is no field", c.header, row[0], name)
					}
				}
			}
		}
		for name := range fields {
			if !seen[name] {
				t.Errorf("%s: there is no row for %q", c.header, name)
			}
		}
	}
}

// namesOfEach are the fields in the table of their own that the objects of a field have, if any.
func namesOfEach(t *testing.T, field string) (names []string) {
	header := "| each of `" + field + "` | |"
	if src, err := os.ReadFile("docs/runtime.md"); err != nil || !strings.Contains(string(src), header) {
		return nil
	}
	for _, row := range tableBelow(t, "docs/runtime.md", header) {
		for _, cell := range row {
			names = append(names, quotedNames(cell)...)
		}
	}
	return names
}

type jsonField struct {
	typ      reflect.Type
	optional bool
}

// jsonFields are the fields of a struct by their names in json; of others there are
// none.
func jsonFields(typ reflect.Type) map[string]jsonField {
	for typ.Kind() == reflect.Slice || typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || typ == reflect.TypeFor[time.Time]() {
		return nil
	}
	fields := map[string]jsonField{}
	for i := range typ.NumField() {
		name, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		fields[name] = jsonField{typ.Field(i).Type, options == "omitempty"}
	}
	return fields
}

// namesBelow are the names of all fields within a type, where a field of the type itself adds none.
func namesBelow(typ reflect.Type) (names []string) {
	for name, f := range jsonFields(typ) {
		if names = append(names, name); f.typ != reflect.PointerTo(typ) && f.typ != typ {
			names = append(names, namesBelow(f.typ)...)
		}
	}
	return names
}

var quotedName = regexp.MustCompile("`([a-z][a-z0-9_]*)`")

// quotedNames are the words of a cell that can be names of fields.
func quotedNames(cell string) (names []string) {
	for _, m := range quotedName.FindAllStringSubmatch(cell, -1) {
		names = append(names, m[1])
	}
	return names
}

// tableBelow gives the two cells of each row of the table with a header.
func tableBelow(t *testing.T, page, header string) (rows [][2]string) {
	t.Helper()
	src, err := os.ReadFile(page)
	must(t, err)
	_, table, found := strings.Cut(string(src), "\n"+header+"\n| --- | --- |\n")
	if !found {
		t.Errorf("%s has no table %s", page, header)
	}
	for line := range strings.Lines(table) {
		cells := strings.SplitN(strings.Trim(strings.TrimSpace(line), "|"), "|", 2)
		if len(cells) < 2 {
			break
		}
		rows = append(rows, [2]string(cells))
	}
	return rows
}
