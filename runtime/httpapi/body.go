package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// MaxBody is the most bytes that the body of a request may have.
const MaxBody = 1 << 20

// taking is an answer to a request with a body.
func taking[B any](to func(http.ResponseWriter, *http.Request, *B) error) answer {
	return func(w http.ResponseWriter, r *http.Request) error {
		var body B
		if err := readBody(r, &body); err != nil {
			return err
		}
		return to(w, r, &body)
	}
}

// readBody reads the JSON object of a request into a struct. A member that into does not have,
// or that stands twice, is refused. The error is a *Problem, or http's for a body that is too large.
func readBody(r *http.Request, into any) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return problem(http.StatusUnsupportedMediaType, "media-type", "not JSON", "the body has to be application/json, and not %q", r.Header.Get("Content-Type"))
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		if large := new(http.MaxBytesError); errors.As(err, &large) {
			return err
		}
		return badBody("", "the body cannot be read: %s", err)
	}
	if !utf8.Valid(text) {
		return badBody("", "the body is not valid UTF-8")
	}
	if err := members(text, namesOf(into)); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields() // deeper ones
	err = dec.Decode(into)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		return badBody(wrong.Field, "%q is a %s, and not a %s (byte %d)", wrong.Field, kindOf(wrong.Type), wrong.Value, wrong.Offset)
	case err != nil:
		return badBody("", "the body cannot be read: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// members refuses what is no object, and members that are not known or stand twice. Payloads
// inside are judged by the machine.
func members(text []byte, names []string) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	first, err := dec.Token()
	if err != nil {
		return notJSON(text, err, dec.InputOffset())
	}
	if first != json.Delim('{') {
		return badBody("", "the body has to be a JSON object")
	}
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return notJSON(text, err, dec.InputOffset())
		}
		name, _ := token.(string)
		switch {
		case !slices.Contains(names, name):
			return badBody(name, "there is no member %q%s (byte %d)", name, machine.DidYouMean(name, names), dec.InputOffset()).allow(names)
		case seen[name]:
			return badBody(name, "%q is given twice (byte %d)", name, dec.InputOffset())
		}
		seen[name] = true
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return notJSON(text, err, dec.InputOffset())
		}
	}
	if _, err := dec.Token(); err != nil {
		return notJSON(text, err, dec.InputOffset())
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return badBody("", "something stands behind the JSON object (byte %d)", dec.InputOffset())
	}
	return nil
}

func notJSON(text []byte, err error, at int64) error {
	if wrong := new(json.SyntaxError); errors.As(err, &wrong) {
		at = wrong.Offset
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return badBody("", "the body is empty: write {} at least")
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return badBody("", "the body is no JSON: it ends too early (byte %d)", len(text))
	}
	return badBody("", "the body is no JSON: %s (byte %d)", strings.TrimPrefix(err.Error(), "json: "), at)
}

// namesOf are the members of a struct by their tags.
func namesOf(of any) []string {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeOf(of).Elem()) {
		if !f.Anonymous {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	return names
}

// kindOf is what JSON calls the values of a type.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice:
		return "list"
	case reflect.Map, reflect.Struct:
		return "object"
	case reflect.Int, reflect.Int64:
		return "whole number"
	}
	return fmt.Sprint(t)
}
