package lsp

import (
	"context"
	"fmt"
	"strings"

	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// inlayHints are what retries and activities come down to: behind a retry its attempts and
// waits, behind a do how often its activity is run at most.
func inlayHints(_ context.Context, v *view, p proto.InlayHintParams) (any, error) {
	out := []proto.InlayHint{}
	first, last := v.offset(p.Range.Start), v.offset(p.Range.End)
	add := func(at token.Span, label, tip string) {
		if at.Start.Filename == v.doc.path && at.End.Offset >= first && at.Start.Offset <= last {
			end := v.lineEnd(at.End)
			out = append(out, proto.InlayHint{Position: v.span(end, end).Start, Label: label, Tooltip: tip, PaddingLeft: true})
		}
	}
	if !v.server.hints {
		return out, nil
	}
	for _, m := range v.unit().Program.Machines {
		if m.Span.Start.Filename != v.doc.path {
			continue
		}
		for _, a := range m.Arms {
			if label := retryText(a); label != "" {
				add(a.Span, label, "how often this retry runs the activity, and how long it waits, at most")
			}
		}
		w := v.worst(m)
		if w == nil || len(w.Activities) != len(m.Activities) {
			continue
		}
		for _, d := range m.Dos {
			f := w.Activities[d.Activity.Index]
			if f.Amount != nil && f.Name == d.Activity.Name {
				add(d.Span, amountText(f.Amount)+" in a run", "the most attempts of "+f.Name+" in any run")
			}
		}
	}
	return out, nil
}

// lineEnd is the end of the line of p, without the space at its end.
func (v *view) lineEnd(p token.Pos) int {
	line := strings.TrimRight(v.doc.file.Line(p.Line), " \t")
	return v.doc.file.LineStart(p.Line) + max(len(line), p.Column-1)
}

// retryText is "4 attempts, 1m31s at most" of a retry with a bound; else empty.
func retryText(a *ir.Arm) string {
	if a.Kind != ir.Retry || a.Max == nil || a.Backoff == nil {
		return ""
	}
	label := fmt.Sprintf("%d attempts", *a.Max+1)
	if total, bounded := timing.LongestWaits(a); bounded {
		label += ", " + ir.FormatDuration(total) + " of waiting at most"
	}
	return label
}
