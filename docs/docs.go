// Package docs holds the documents that `fsmc explain` prints, for people and programs
// that cannot read them elsewhere.
package docs

import _ "embed"

// The documents, as they are.
var (
	//go:embed language.md
	Language string
	//go:embed glossary.md
	Glossary string
	//go:embed grammar.ebnf
	Grammar string
)
