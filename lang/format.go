package lang

import (
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/format"
)

// Format is src in canonical form, and what Parse had to say about it. A text
// with errors has no canonical form: the bytes are nil then. name is the name
// that positions bear.
func Format(name string, src []byte) ([]byte, diag.List) {
	file, _, list := Parse(name, src)
	if list.HasErrors() {
		return nil, list
	}
	return format.File(file), list
}
