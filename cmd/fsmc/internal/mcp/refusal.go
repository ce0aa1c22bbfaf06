package mcp

import (
	"context"
	"errors"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fsmc-dev/fsmc/runtime"
)

// refusal is what is answered instead: why, and of a run how it stands.
type refusal struct {
	Error string `json:"error"`
	*answer
}

// refuse is the result of a call that could not be done.
func (s *Server) refuse(ctx context.Context, c *call, err error) *sdk.CallToolResult {
	of := refusal{Error: s.words(ctx, c.run, err)}
	if c.run != "" {
		ctx, done := lasting(ctx)
		defer done()
		if v, err := s.Engine.Get(ctx, c.run); err == nil {
			of.answer = s.answer(ctx, &v)
		}
	}
	r := result(&of, of.Error)
	r.IsError = true
	return r
}

// words are those of the command line for an error about a run.
func (s *Server) words(ctx context.Context, run string, err error) string {
	var refused *runtime.Rejected
	switch {
	case errors.As(err, &refused):
		return refused.Error()
	case errors.Is(err, runtime.ErrNotFound) && run != "":
		return fmt.Sprintf("there is no run %q in the database%s", run, s.Engine.DidYouMean(ctx, run))
	case errors.Is(err, runtime.ErrUnknown):
		return err.Error() + ": get_history says whether it was, and an event that has an event_id can be sent again"
	case errors.Is(err, runtime.ErrNoGuard):
		return err.Error() + "; --activities DIR of fsmc mcp says where its executable is"
	}
	return err.Error()
}
