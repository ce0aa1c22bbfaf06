// Package lang is the front end of the fsm language: it reads source text,
// formats it, and resolves it into the form that the checker and the
// generators work on.
package lang

import (
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/internal/parse"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Parse parses src. name is the name that positions bear. The tree holds all
// that could be understood, and the list says what is wrong, in the order of
// the text. Parse may be called from several goroutines at once.
func Parse(name string, src []byte) (*ast.File, *token.File, diag.List) {
	f := token.NewFile(name, src)
	tree, list := parse.File(f)
	return tree, f, most(list)
}
