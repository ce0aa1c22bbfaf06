package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"regexp"
	"time"

	"github.com/fsmc-dev/fsmc/codegen/svg"
)

//go:embed asset/*
var assetFiles embed.FS

// assets are what pages load, by name, with the sheet of pictures behind that of pages.
var assets = map[string]*assetFile{
	"app.css":  newAsset("text/css; charset=utf-8", read("app.css"), missed.ReplaceAll([]byte(svg.Sheet(svg.Page)), nil)),
	"app.js":   newAsset("text/javascript; charset=utf-8", besides.ReplaceAll(read("app.js"), nil)),
	"icon.svg": newAsset("image/svg+xml", read("icon.svg")),
}

type assetFile struct {
	kind, tag string
	text      []byte
}

func read(name string) []byte {
	text, err := assetFiles.ReadFile("asset/" + name)
	if err != nil {
		panic(err) // it is part of the program
	}
	return text
}

// missed is what the sheet of pictures has for arms that no test takes. No page shows these.
var missed = regexp.MustCompile(`--missed[^;]*;|(?m:^.*\.missed.*\n)`)

// besides is what a script has for those who read its source: comments, except behind code, and indents.
var besides = regexp.MustCompile(`/\*\*[\s\S]*?\*/ ?|(?m:^\s*(//.*)?)`)

func newAsset(kind string, parts ...[]byte) *assetFile {
	text := bytes.Join(parts, []byte("\n"))
	sum := sha256.Sum256(text)
	return &assetFile{kind, hex.EncodeToString(sum[:6]), text}
}

// assetPath is where an asset stands below the base. The address changes with the text, so that
// browsers can keep it.
func assetPath(name string) string { return "asset/" + name + "?v=" + assets[name].tag }

func asset(w http.ResponseWriter, r *http.Request) {
	a := assets[r.PathValue("name")]
	if a == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", a.kind)
	if r.URL.Query().Get("v") == a.tag {
		w.Header().Set("Cache-Control", "max-age=31536000, immutable")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.text))
}
