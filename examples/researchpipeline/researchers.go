package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/runtime"
)

// parts is how many steps a researcher takes. It remembers each, so that the
// one who comes after it goes on behind the last.
const parts = 7

// pace is how long a step takes; researcher-2 is slower, so that each of them is
// alone for a while.
const pace = 15 * time.Millisecond

// closed is a perspective of which nobody finds anything.
const closed = "what stands in closed archives"

// crew is the workers. They read the files of earlier phases, write their own,
// and know nothing of the pipeline.
type crew struct {
	dir string
	die func(point string) // does not come back where the process is to be killed at that point
}

var _ ResearchPipelineActivities = (*crew)(nil)

// Research takes its steps, writes its report, and says so. Where the report is
// there already it only says so.
func (c *crew) Research(ctx context.Context, attempt *runtime.Attempt, topic, model, perspective, output string) (ResearchPipelineReportWritten, error) {
	written, role := ResearchPipelineReportWritten{Path: output}, strings.TrimSuffix(output, ".md")
	c.die(role + " begins")
	if perspective == closed {
		return written, errors.New("the archive does not answer")
	}
	path := filepath.Join(workFolder(c.dir, attempt.Run), output)
	if !exists(path) {
		report, err := c.collect(ctx, attempt, topic, role, model, perspective)
		if err == nil {
			err = publish(path, report)
		}
		if err != nil {
			return written, err
		}
	}
	c.die(role + " has written its report, and not said so")
	return written, nil
}

// collect takes the steps that no attempt before has taken, and makes a report.
func (c *crew) collect(ctx context.Context, attempt *runtime.Attempt, topic, role, model, perspective string) (string, error) {
	var notes []string
	if attempt.Checkpoint != nil {
		if err := json.Unmarshal(attempt.Checkpoint, &notes); err != nil {
			return "", err
		}
	}
	step := pace
	if role == "researcher-2" {
		step *= 3
	}
	for len(notes) < parts {
		if len(notes) >= parts/2 {
			c.die(role + " is half done")
		}
		if err := program.Sleep(ctx, step); err != nil {
			return "", err
		}
		note := fmt.Sprintf("%s, source %d of %d: %s", topic, len(notes)+1, parts, perspective)
		if err := appendLine(callsFile(c.dir), fmt.Sprintf("%s source %d", role, len(notes)+1)); err != nil {
			return "", err
		}
		notes = append(notes, note)
		if err := attempt.Progress(notes); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("# %s (%s)\n\n- %s\n", role, model, strings.Join(notes, "\n- ")), nil
}

// Summarize is what a person reads between the phases.
func (c *crew) Summarize(_ context.Context, attempt *runtime.Attempt, reports []string) (ResearchPipelineSummarized, error) {
	c.die("the summary begins")
	lines := 0
	for _, name := range reports {
		text, err := os.ReadFile(filepath.Join(workFolder(c.dir, attempt.Run), name))
		if err != nil {
			return ResearchPipelineSummarized{}, err
		}
		lines += strings.Count(string(text), "\n- ")
	}
	return ResearchPipelineSummarized{Summary: fmt.Sprintf("%d reports, %d sources", len(reports), lines)}, nil
}

// Synthesize reads the reports and writes the result.
func (c *crew) Synthesize(ctx context.Context, attempt *runtime.Attempt, topic string, reports []string, guidance, model, output string) (ResearchPipelineResultWritten, error) {
	written := ResearchPipelineResultWritten{Path: output}
	c.die("the synthesizer begins")
	folder := workFolder(c.dir, attempt.Run)
	if path := filepath.Join(folder, output); !exists(path) {
		head := fmt.Sprintf("# %s (%s)\n\nGuidance: %s\n", topic, model, guidance)
		text, err := c.combine(ctx, folder, head, reports)
		if err == nil {
			err = publish(path, text)
		}
		if err != nil {
			return written, err
		}
	}
	c.die("the synthesizer has written the result, and not said so")
	return written, nil
}

// combine puts the reports of a folder under a head.
func (c *crew) combine(ctx context.Context, folder, head string, reports []string) (string, error) {
	var text strings.Builder
	text.WriteString(head)
	for _, name := range reports {
		report, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&text, "\n%s", report)
	}
	if err := program.Sleep(ctx, pace); err != nil {
		return "", err
	}
	return text.String(), appendLine(callsFile(c.dir), "synthesizer")
}

// Deliver puts the result into the user's folder, once: its name there is the
// execution's key, and `per run` gives one key to the whole run.
func (c *crew) Deliver(_ context.Context, attempt *runtime.Attempt, _, result string) error {
	c.die("the delivery begins")
	text, err := os.ReadFile(filepath.Join(workFolder(c.dir, attempt.Run), result))
	if err != nil {
		return err
	}
	path := filepath.Join(c.dir, "delivered", strings.ReplaceAll(attempt.Key, "/", "-")+".md")
	if err := publish(path, string(text)); err != nil {
		return err
	}
	c.die("the result is delivered, and no one knows")
	return nil
}

// Archive moves the run's folder away, if that has not been done.
func (c *crew) Archive(_ context.Context, attempt *runtime.Attempt, _, _ string) error {
	c.die("the archive begins")
	from, to := workFolder(c.dir, attempt.Run), filepath.Join(c.dir, "archive", attempt.Run)
	if !exists(to) {
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.Rename(from, to); err != nil {
			return err
		}
	}
	c.die("the folder is archived, and no one knows")
	return nil
}

// publish writes a file that no one has written yet. One that is there stays as
// it is: whoever wrote it was faster, and it counts.
func publish(path, text string) error {
	err := writeOnce(path, text)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	return err
}
