package golang

import (
	"go/token"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// exported is a name of the source as an exported part of a Go identifier.
func exported(name string) string {
	if out := ir.Exported(name); out != "" && out[0] >= 'A' && out[0] <= 'Z' {
		return out
	}
	return "X" + strings.ReplaceAll(name, "_", "X") // a digit or nothing behind the underscores
}

// pathName joins the names of a path: "Working.Draft" is "WorkingDraft", and the machine itself "".
func pathName(path string) string {
	if path == "" {
		return ""
	}
	var b strings.Builder
	for part := range strings.SplitSeq(path, ".") {
		b.WriteString(exported(part))
	}
	return b.String()
}

// unexported is an exported name with its leading capitals lowered.
func unexported(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(first)) + name[size:]
}

// predeclared are identifiers that a parameter must not hide.
var predeclared = map[string]bool{
	"any": true, "append": true, "bool": true, "byte": true, "cap": true, "clear": true, "close": true,
	"comparable": true, "complex": true, "copy": true, "delete": true, "error": true, "false": true,
	"float32": true, "float64": true, "imag": true, "int": true, "int16": true, "int32": true,
	"int64": true, "int8": true, "iota": true, "len": true, "make": true, "max": true, "min": true,
	"new": true, "nil": true, "panic": true, "print": true, "println": true, "real": true,
	"recover": true, "rune": true, "string": true, "true": true, "uint": true, "uint16": true,
	"uint32": true, "uint64": true, "uint8": true, "uintptr": true, "runtime": true, "context": true,
	"fmt": true, "strconv": true, "errors": true,
}

// local is a name of the source as a parameter of a Go function: no keyword,
// nothing predeclared, and nothing that is taken; it takes what it gives.
func local(name string, taken map[string]bool) string {
	out := unexported(exported(name))
	for token.IsKeyword(out) || predeclared[out] || taken[out] {
		out += "_"
	}
	taken[out] = true
	return out
}
