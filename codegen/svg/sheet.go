package svg

import (
	"fmt"
	"regexp"
	"strings"
)

// colours are the variables of the sheet, with their values on a light and on a dark ground.
// Each text has a contrast of 4.5 or more to what it stands on, each line one of 3 to the
// ground, but for the borders of frames, which the headings make plain.
var colours = []struct{ name, light, dark string }{
	{"ground", "#ffffff", "#14181d"},
	{"ink", "#1f2933", "#e6eaee"},
	{"quiet", "#52606d", "#b3bdc7"},
	{"faint", "#5f6b78", "#97a3af"},
	{"box", "#f3f7fb", "#1f2730"},
	{"edge", "#5b7083", "#8398ab"},
	{"frame", "#fafbfd", "#181e25"},
	{"frame-even", "#f1f4f8", "#1c232b"},
	{"choice", "#fff8e6", "#2b2617"},
	{"choice-edge", "#a07b25", "#b8964a"},
	{"any", "#ffffff", "#14181d"},
	{"any-edge", "#7d8995", "#7b8794"},
	{"success", "#e3f4e8", "#173322"},
	{"success-edge", "#2e7d4f", "#57b27e"},
	{"failure", "#fbe9e7", "#3b1f1d"},
	{"failure-edge", "#b5473c", "#e08479"},
	{"cancelled", "#eceff1", "#262c31"},
	{"cancelled-edge", "#6b7780", "#93a0aa"},
	{"normal", "#3e4c59", "#c3ccd5"},
	{"else", "#74808c", "#8d99a5"},
	{"timer", "#8a6d3b", "#c2a163"},
	{"timer-text", "#76592a", "#d3b479"},
	{"failed", "#c0736a", "#cc7f76"},
	{"failed-text", "#9c463d", "#f0a79f"},
	{"retry", "#5f7f9e", "#7fa3c4"},
	{"retry-text", "#47647f", "#a5c3de"},
	{"taken", "#1f5fbf", "#6aa5ff"},
	{"taken-box", "#e6f0ff", "#16294a"},
	{"current", "#c77700", "#f0b040"},
	{"current-box", "#fff1c9", "#3d2f10"},
	{"missed", "#c2185b", "#ff79b0"},
	{"missed-box", "#fde8f1", "#40142a"},
}

// rules are the rest of the sheet; $name is a colour.
const rules = `text{font-family:Helvetica,Arial,"Liberation Sans",sans-serif;font-size:11px;fill:$quiet}
.head{font-size:18px;font-weight:bold;fill:$ink}
.name{font-size:14px;font-weight:bold;fill:$ink}
text.any{font-style:italic}
.name,text.any{text-anchor:middle}
.frame .name{text-anchor:start}
.note{font-size:10px;fill:$faint}
text.exit{font-size:10px}
.count{font-size:10px;font-weight:bold;fill:$ink}
.ground{fill:$ground}
.box{fill:$box;stroke:$edge;stroke-width:1.2}
.inner,.rule{fill:none;stroke:$edge}
.rule{stroke-opacity:.4}
rect.frame{fill:$frame;stroke:$edge}
.even>rect.frame{fill:$frame-even}
.start>circle{fill:$ink}
.choice>.box{fill:$choice;stroke:$choice-edge}
.anystate>.box{fill:$any;stroke:$any-edge;stroke-dasharray:4 3}
.success>.box,rect.success{fill:$success;stroke:$success-edge}
.success>.inner{stroke:$success-edge}
.failure>.box,rect.failure{fill:$failure;stroke:$failure-edge}
.failure>.inner{stroke:$failure-edge}
.cancelled>.box,rect.cancelled{fill:$cancelled;stroke:$cancelled-edge}
.cancelled>.inner{stroke:$cancelled-edge}
.child,.sheet{fill:$ground;stroke:$edge}
.arrow>path{fill:none;stroke:$normal;stroke-width:1.3}
.arrow>path+path{fill:$normal;stroke:none!important}
text.normal,.normal>text:not([class]){fill:$ink}
.normal>path,.initial>path{stroke-width:1.5}
.else>path,.cancel>path{stroke:$else}
.else>path+path,.cancel>path+path{fill:$else}
.cancel>path{stroke-dasharray:2 3}
.timer>path{stroke:$timer}
.timer>path+path{fill:$timer}
text.timer,.timer>text:not([class]){fill:$timer-text}
.failed>path{stroke:$failed}
.failed>path+path{fill:$failed}
text.failed,.failed>text:not([class]){fill:$failed-text}
.retry>path{stroke:$retry;stroke-dasharray:5 3}
.retry>path+path{fill:$retry}
text.retry,.retry>text:not([class]){fill:$retry-text}
.arrow.taken>path{stroke:$taken;stroke-width:2.6;stroke-dasharray:none}
.arrow.taken>path+path{fill:$taken}
.taken>.box,.taken>rect.frame,.taken>.inner{stroke:$taken;stroke-width:2}
.state.taken>.box,.choice.taken>.box{fill:$taken-box}
.stub.taken>text{fill:$taken;font-weight:bold}
.current>.box,.current>rect.frame,.current>.inner{stroke:$current;stroke-width:3}
.current>.box{fill:$current-box}
.arrow.missed>path{stroke:$missed;stroke-width:2.6;stroke-dasharray:6 4}
.arrow.missed>path+path{fill:$missed}
.missed>.box,.missed>.inner{stroke:$missed;stroke-width:2.6;stroke-dasharray:6 4}
.missed>.box{fill:$missed-box}
.stub.missed>text{fill:$missed}
`

// Page is the theme of pictures in a page: the one that the reader prefers, in a browser.
const Page = "page"

// Sheet is the style sheet of pictures in a theme: "light", "dark", or the one that
// the reader prefers, which is also the default and alone needs variables. A plain colour
// stands before each variable, for programs that draw SVG and know none; browsers do.
func Sheet(theme string) string {
	values := map[string][2]string{}
	for _, c := range colours {
		values[c.name] = [2]string{c.light, c.dark}
	}
	paint := func(write func(property string, value [2]string, name string) string) string {
		return painted.ReplaceAllStringFunc(rules, func(s string) string {
			property, name, _ := strings.Cut(s, ":$")
			return write(property, values[name], name)
		})
	}
	switch theme {
	case "light", "dark":
		which := 0
		if theme == "dark" {
			which = 1
		}
		return paint(func(property string, value [2]string, _ string) string { return property + ":" + value[which] })
	}
	return variables(0) + "@media (prefers-color-scheme:dark){" + variables(1) + "}\n" +
		paint(func(property string, value [2]string, name string) string {
			if theme == Page {
				return fmt.Sprintf("%s:var(--%s)", property, name)
			}
			return fmt.Sprintf("%s:%s;%s:var(--%s)", property, value[0], property, name)
		})
}

// painted is where the rules have a colour.
var painted = regexp.MustCompile(`[a-z-]+:\$[a-z-]+`)

// variables are the colours on a light or a dark ground.
func variables(which int) string {
	var b strings.Builder
	b.WriteString(".machine{")
	for _, c := range colours {
		fmt.Fprintf(&b, "--%s:%s;", c.name, [2]string{c.light, c.dark}[which])
	}
	b.WriteString("}\n")
	return b.String()
}
