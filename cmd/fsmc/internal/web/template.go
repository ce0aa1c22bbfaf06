package web

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

//go:embed page/*.html
var pages embed.FS

// templates are the pages, each with the layout around it. They are parsed for the first page: most commands show none.
var templates = sync.OnceValue(func() map[string]*template.Template {
	layout := template.Must(template.New("").Funcs(template.FuncMap{
		"when": when, "since": since, "count": describe.Count[int64], "url": url.PathEscape,
		"json": jsonText, "percent": func(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }, "plain": func(s string) string { return describe.Plain(s, 400) },
		"run": runPath, "asset": assetPath, "sentence": sentenceCase, "duration": describe.Duration, "lost": lostWords, "minute": minuteWords, "tagsOf": tagsOf, "childrenOf": func(run string) string { return describe.Term("parent", run) }, "then": func(f runtime.FailureStats) string { return strings.ReplaceAll(describe.Then(&f), "-> ", "→\u00a0") },
	}).ParseFS(pages, "page/layout.html", "page/part.html"))
	out := map[string]*template.Template{}
	for _, name := range []string{"error", "run", "runs", "bulk", "overview", "machine", "simulate", "problems"} {
		out[name] = template.Must(template.Must(layout.Clone()).ParseFS(pages, "page/"+name+".html"))
	}
	return out
})

func lostWords(reason string) string {
	return map[string]string{"lost": "its worker was lost", "silent": "it gave no sign of life", "stalled": "it made no progress"}[reason]
}

// tagLink is a tag that leads to the runs with it.
type tagLink struct{ Base, Name, Value string }

// Where is the filter that finds them.
func (l tagLink) Where() string { return describe.Tag(l.Name, l.Value) }

func tagsOf(base string, tags map[string]string) (links []tagLink) {
	for _, name := range machine.TagNames(tags) {
		links = append(links, tagLink{base, name, tags[name]})
	}
	return links
}

// runPath is where a run's page stands below the base. Browsers take "." and ".." out of a path
// however they are written.
func runPath(id string) string {
	if id == "." || id == ".." {
		return "run?id=" + id
	}
	return "runs/" + url.PathEscape(id)
}

// when is a time with its exact form in the title.
func when(t time.Time) template.HTML { return timeTag(t, describe.When(t, time.Now())) }

// since is how long ago a time is; the script asks for it again.
func since(t time.Time) template.HTML { return timeTag(t, describe.Ago(t, time.Now())) }

func timeTag(t time.Time, text string) template.HTML {
	if t.IsZero() {
		return ""
	}
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s">%s</time>`, // times have no signs of HTML
		t.UTC().Format("2006-01-02T15:04:05.000Z"), t.Local().Format("2006-01-02 15:04:05.000 MST"), text))
}

// mostShown is how much of a payload a page shows; the rest is in fsmc history.
const mostShown = 20_000

// inText makes text fit to stand between tags, where a quote, of which JSON has many, is no sign of HTML.
var inText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// jsonText is JSON for people, for a place between tags: on lines of their own where it is long.
func jsonText(data json.RawMessage) template.HTML {
	text := string(data)
	if len(text) > 60 {
		var lines bytes.Buffer
		if json.Indent(&lines, data, "", "  ") == nil && lines.Len() < 2*len(text)+200 {
			text = lines.String()
		}
	}
	if len(text) > mostShown {
		cut := mostShown
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + fmt.Sprintf("… (%d bytes in all; fsmc show prints the rest)", len(data))
	}
	return template.HTML(inText.Replace(describe.Printable(text))) //nolint:gosec // as html/template escapes text
}

// words is an error for people.
func words(err error) string { return describe.Plain(err.Error(), 1000) }

// sentenceCase is text with its first letter large and a full stop.
func sentenceCase(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return strings.TrimSuffix(string(unicode.ToUpper(first))+text[size:], ".") + "."
}
