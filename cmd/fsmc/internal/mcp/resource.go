package mcp

import (
	"context"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Resources are what clients, and people through them, put into a context by themselves.

const (
	machinesURI = "fsm://machines/"
	diagramPart = "/diagram"
	runsURI     = "fsm://runs/"
)

func (s *Server) addResources() {
	for _, r := range []struct {
		template sdk.ResourceTemplate
		read     func(context.Context, string) (string, error)
	}{
		{sdk.ResourceTemplate{Name: "machine", Title: "Source of a machine", URITemplate: machinesURI + "{name}", MIMEType: "text/plain"}, s.sourced("", func(v *runtime.Version) (string, error) { return v.Source, nil })},
		{sdk.ResourceTemplate{Name: "diagram", Title: "Diagram of a machine", URITemplate: machinesURI + "{name}" + diagramPart, MIMEType: "text/vnd.mermaid"}, s.sourced(diagramPart, s.Front.Diagram)},
		{sdk.ResourceTemplate{Name: "run", Title: "A run as it stands", URITemplate: runsURI + "{+id}", MIMEType: "application/json"}, s.readRun},
	} {
		s.server.AddResourceTemplate(&r.template, func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			text, err := r.read(ctx, req.Params.URI)
			if err != nil {
				return nil, err
			}
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: r.template.MIMEType, Text: text}}}, nil
		})
	}
}

// nameIn is what stands in a URI between two texts, without its escapes.
func nameIn(uri, before, behind string) (string, error) {
	name, err := url.PathUnescape(strings.TrimSuffix(strings.TrimPrefix(uri, before), behind))
	if err != nil {
		return "", sdk.ResourceNotFoundError(uri)
	}
	return name, nil
}

// sourced reads of the version of a machine with which new runs start, where its text is stored.
func (s *Server) sourced(behind string, read func(*runtime.Version) (string, error)) func(context.Context, string) (string, error) {
	return func(ctx context.Context, uri string) (string, error) {
		name, err := nameIn(uri, machinesURI, behind)
		if err != nil {
			return "", err
		}
		v, err := s.versionOf(ctx, name)
		if err != nil || v.Source == "" {
			return "", sdk.ResourceNotFoundError(uri)
		}
		return read(v)
	}
}

func (s *Server) readRun(ctx context.Context, uri string) (string, error) {
	run, err := nameIn(uri, runsURI, "")
	if err != nil {
		return "", err
	}
	v, err := s.Engine.Get(ctx, run)
	if err != nil {
		if _, there := s.Engine.Row(ctx, run); there != nil {
			return "", sdk.ResourceNotFoundError(uri)
		}
		return "", err
	}
	text, err := machine.EncodeJSON(s.answer(ctx, &v))
	return string(text), err
}
