package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/fields"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/httpapi"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// mostBody is the most bytes that a form may have.
const mostBody = 1 << 20

// action makes a handler of what a form does. The answer is the page of the run, or the form
// again with what was wrong.
func (s *Site) action(do func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return s.handler(func(w http.ResponseWriter, r *http.Request) error {
		if err := s.readForm(w, r); err != nil {
			return err
		}
		return do(w, r)
	})
}

func (s *Site) readForm(w http.ResponseWriter, r *http.Request) error {
	if !s.mayWrite(r) {
		return &fault{http.StatusForbidden, "who asks may only look: the server was started with --read-only, or the token is one for reading"}
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostBody)
	var large *http.MaxBytesError
	switch err := r.ParseForm(); {
	case errors.As(err, &large):
		return &fault{http.StatusRequestEntityTooLarge, fmt.Sprintf("a form has at most %d bytes", mostBody)}
	case err != nil:
		return &fault{http.StatusBadRequest, "the form cannot be read: " + words(err)}
	}
	return nil
}

// steer does what a button of a run's page says.
func (s *Site) steer(w http.ResponseWriter, r *http.Request) error {
	id, command := idOfRun(r), r.PathValue("command")
	who := runtime.Operator{Actor: httpapi.Actor(r, ""), Reason: r.PostForm.Get("reason")}
	v, form, err := s.command(r, id, command, who)
	if refused := asTyped(err, form, r.PostForm); refused != nil {
		p, err := s.showRun(r, refused)
		if err != nil {
			return err
		}
		if p.status, p.Notice = http.StatusConflict, refused.Why; refused.Field != "" {
			p.status = http.StatusUnprocessableEntity
		}
		p.Feed = "-" // its address takes no GET, and what was typed would be gone
		s.write(w, r, &p)
		return nil
	}
	if err != nil {
		return err
	}
	s.forget()
	http.Redirect(w, r, s.Base+runPath(id)+"#s"+strconv.FormatInt(v.Seq, 10), http.StatusSeeOther)
	return nil
}

// command calls what a button means, and names the form that it is in.
func (s *Site) command(r *http.Request, id, command string, who runtime.Operator) (v runtime.View, form string, err error) {
	ctx := r.Context()
	switch command {
	case "send":
		form = r.PostForm.Get("event")
		v, err = s.send(ctx, id, r.PostForm, who)
	case "cancel", "pause", "resume", "retry":
		v, err = httpapi.Steer(ctx, s.Engine, runtime.InputKind(command), id, who, false)
	case "complete":
		v, err = s.complete(ctx, id, r.PostForm, who)
	default:
		err = errNoPage
	}
	return v, cmp.Or(form, command), err
}

// send gives an event to a run, if that is still as the form showed it.
func (s *Site) send(ctx context.Context, id string, form url.Values, who runtime.Operator) (runtime.View, error) {
	row, err := s.Store.Load(ctx, id)
	if err != nil {
		return runtime.View{}, err
	}
	m, err := s.version(ctx, row.Definition)
	if err != nil {
		return runtime.View{}, err
	}
	e := eventOf(m.def, form.Get("event"))
	if e == nil {
		return runtime.View{}, &fault{http.StatusUnprocessableEntity, fmt.Sprintf("%s has no event %q", m.Name, form.Get("event"))}
	}
	data, err := payload(e.Fields, form)
	if err != nil {
		return runtime.View{}, err
	}
	key := form.Get("event_id")
	if why := machine.BadID(key); why != "" {
		return runtime.View{}, &fault{http.StatusUnprocessableEntity, "the id of an event " + why}
	}
	seq, err := strconv.ParseInt(cmp.Or(form.Get("if_seq"), "0"), 10, 64)
	if err != nil || seq < 0 {
		return runtime.View{}, &fault{http.StatusBadRequest, "if_seq is the number of a step"}
	}
	return s.Engine.Send(ctx, id, runtime.ExternalEvent{
		Name: e.Name, Data: data, ID: key, IfSeq: seq, Actor: who.Actor, Reason: who.Reason,
	})
}

func (s *Site) complete(ctx context.Context, id string, form url.Values, who runtime.Operator) (runtime.View, error) {
	data := strings.TrimSpace(form.Get("data"))
	if data != "" && !json.Valid([]byte(data)) {
		return runtime.View{}, &fault{http.StatusUnprocessableEntity, "the fields of the event are a JSON object"}
	}
	return s.Engine.Complete(ctx, id, runtime.Completion{
		Activity: form.Get("activity"), Event: form.Get("event"), Data: json.RawMessage(data), Operator: who,
	})
}

// payload is the JSON of the fields of a form. A field in which nothing was written is absent, but for
// a string that must be there: that is the empty one.
func payload(list []machine.Field, form url.Values) (json.RawMessage, error) {
	var pairs []string
	for i := range list {
		f := &list[i]
		value, given := form["f."+f.Name]
		if !given {
			continue
		}
		if text := strings.ReplaceAll(value[0], "\r\n", "\n"); text != "" || f.Type.Kind == machine.String && !f.Optional {
			pairs = append(pairs, f.Name+"="+text)
		}
	}
	data, err := fields.Object(list, "", pairs)
	if err != nil {
		return nil, &fault{http.StatusUnprocessableEntity, words(err)}
	}
	return data, nil
}

// asTyped is what the form shows of a refusal; nil where the error is another, or none.
func asTyped(err error, form string, values url.Values) *typed {
	if err == nil {
		return nil
	}
	t := &typed{Form: form, Values: values, Why: words(err)}
	var (
		refused *runtime.Rejected
		known   *fault
		misfit  *machine.PayloadError
	)
	if errors.As(err, &misfit) {
		t.Field = misfit.Field
	}
	switch {
	case errors.Is(err, runtime.ErrNoGuard):
		t.Why += "; this server has no program that answers it: fsmc serve --activities DIR"
		return t
	case errors.As(err, &refused), errors.Is(err, runtime.ErrFinished), errors.Is(err, runtime.ErrConflict):
		return t
	case errors.As(err, &known) && known.status == http.StatusUnprocessableEntity:
		return t
	}
	return nil
}
