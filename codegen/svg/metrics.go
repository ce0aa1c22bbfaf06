package svg

import (
	"strings"
	"unicode"

	"github.com/fsmc-dev/fsmc/codegen/drawing"
)

// The widths of Helvetica's printable ASCII in thousandths of its size, from Adobe's font
// metrics. Arial and Liberation Sans have the same.
var (
	regular = [95]int{
		278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
		556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
		1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
		667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
		333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
		556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
	}
	bold = [95]int{
		278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,
		556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,
		975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
		667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
		333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
		611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
	}
)

// What other characters are thought to be wide; their true width depends on the font that
// the reader has.
const (
	otherWidth = 620
	wideWidth  = 1000
)

// width is how wide text is, in pixels, rounded up; known reports whether all of it is in
// the tables.
func width(text string, f font) (pixels int, known bool) {
	table := &regular
	if f.bold {
		table = &bold
	}
	sum, known := 0, true
	for _, r := range text {
		switch {
		case r >= ' ' && r <= '~':
			sum += table[r-' ']
		case unicode.Is(unicode.Mn, r), r == '\u200d', r >= 0xFE00 && r <= 0xFE0F:
			known = false // stands on the one before it
		case wide(r):
			sum, known = sum+wideWidth, false
		default:
			sum, known = sum+otherWidth, false
		}
	}
	return (sum*f.size + 999) / 1000, known
}

// wide reports whether r is one of the characters that take the room of two.
func wide(r rune) bool {
	switch {
	case r >= 0x1100 && r <= 0x115F, r >= 0x2E80 && r <= 0xA4CF, r >= 0xAC00 && r <= 0xD7A3,
		r >= 0xF900 && r <= 0xFAFF, r >= 0xFE30 && r <= 0xFE6F, r >= 0xFF00 && r <= 0xFF60, r >= 0xFFE0 && r <= 0xFFE6,
		r >= 0x1F000:
		return true
	}
	return r == '…' || r == '—' || r >= 0x2600 && r <= 0x27BF
}

// font is a size in pixels, and a weight.
type font struct {
	size int
	bold bool
}

var (
	headFont  = font{18, true} // of the whole drawing
	nameFont  = font{14, true}
	rowFont   = font{11, false}
	noteFont  = font{10, false} // of what is of less weight
	countFont = font{10, true}
)

// high is how much room a line has.
func (f font) high() int { return f.size*4/3 + f.size%3/2 }

// clean is text on one line, fit to be shown.
func clean(text string) string {
	return strings.Join(strings.Fields(drawing.Clean(text)), " ")
}
