package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/examples/codereview/demo"
	"github.com/fsmc-dev/fsmc/examples/codereview/forge"
	"github.com/fsmc-dev/fsmc/examples/codereview/review"
	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// The forge allows so many comments, and then none until the window is over.
const (
	forgeLimit  = 5
	forgeWindow = 2 * time.Second
)

// show is the example as a person sees it.
type show struct {
	repo, commits, dir string
	forge              *forge.Server

	serve bool   // open a page on the run
	addr  string // where that is
}

func (s *show) run(ctx context.Context) error {
	if err := s.prepare(ctx); err != nil {
		return err
	}
	defer s.forge.Close()
	program.Say("1. Check the machines, before they run.")
	if err := checkMachines(); err != nil {
		return err
	}
	program.Say("2. Run them, and kill the worker with SIGKILL in the middle of the files.")
	if _, err := s.untilKilled(ctx, s.hasFile, "-hangs"); err != nil {
		return err
	}
	if s.serve {
		program.Say("   Open a page on the run: its worker is gone, and its lease runs out.")
		stop, err := s.servePage(ctx)
		if err != nil {
			return err
		}
		defer stop()
	}
	program.Say("3. Start a new worker on the same database, and kill it in the middle of posting.")
	before, err := s.untilKilled(ctx, s.isPosting)
	if err != nil {
		return err
	}
	program.Say("4. Start another one.")
	if err := s.untilDone(ctx); err != nil {
		return err
	}
	program.Say("5. What happened, from the database.")
	err = s.account(ctx, before)
	if s.serve && err == nil {
		program.Say("The page is there until you interrupt this program.")
		<-ctx.Done()
	}
	return err
}

// prepare makes the folder, the repository and the forge.
func (s *show) prepare(ctx context.Context) error {
	var err error
	if s.dir, err = freshFolder(s.dir); err != nil {
		return err
	}
	switch {
	case s.repo == "" && s.commits != "", s.repo != "" && s.commits == "":
		return errors.New("-repo and -range go together")
	case s.repo == "":
		s.repo, s.commits = filepath.Join(s.dir, "repository"), demo.Range
		if err := os.Mkdir(s.repo, 0o755); err != nil {
			return err
		}
		if err := demo.Make(ctx, s.repo); err != nil {
			return err
		}
	}
	s.forge, err = forge.Start(forgeLimit, forgeWindow)
	return err
}

// freshFolder makes dir, or a temporary folder where it is empty.
func freshFolder(dir string) (string, error) {
	return program.Folder(dir, "codereview", database(dir), "an earlier review")
}

// checkMachines prints what fsmc check has to say, and the most that a review can take.
func checkMachines() error {
	unit := lang.Load([]lang.Source{{Name: "codereview.fsm", Src: []byte(codeReviewSource)}})
	list := append(unit.Diags, check.Run(unit.Program, all.Rules)...)
	if err := diag.WriteText(os.Stdout, list, unit.File, diag.TextOptions{}); err != nil {
		return err
	}
	if list.HasErrors() {
		return program.ErrWrong
	}
	for _, m := range unit.Program.Machines {
		n := check.Stats(m)
		fmt.Printf("  %s: %d states, %d transitions: %s\n", m.Name, n.States, n.Transitions, diag.Summary(list))
	}
	fmt.Printf("  a review takes at most %d runs of FileReview, %d analyses, %d tokens, %v usd and %s\n", CodeReviewMaxAttemptsFileReview,
		CodeReviewMaxAttemptsFileReview*FileReviewMaxAttemptsAnalyze, CodeReviewMaxCostTokens, CodeReviewMaxCostUsd, CodeReviewMaxTime)
	return nil
}

// start starts a worker process.
func (s *show) start(ctx context.Context, more ...string) (*exec.Cmd, error) {
	args := []string{"-worker", "-dir", s.dir, "-repo", s.repo, "-range", s.commits, "-forge", s.forge.URL}
	cmd := program.Again(ctx, append(args, more...)...)
	cmd.Stdout = os.Stdout
	return cmd, cmd.Start()
}

// untilKilled lets a worker live until there is so much, kills it, and returns what it
// left behind.
func (s *show) untilKilled(ctx context.Context, enough func(context.Context) bool, more ...string) (CodeReviewRun, error) {
	cmd, err := s.start(ctx, more...)
	if err != nil {
		return CodeReviewRun{}, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for !enough(ctx) {
		select {
		case err := <-ended:
			if err == nil {
				fmt.Println("  the change is too small: the review has ended before there was anything to interrupt")
			}
			return CodeReviewRun{}, err
		case <-time.After(10 * time.Millisecond):
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		return CodeReviewRun{}, err
	}
	<-ended
	run, err := s.look(ctx)
	if err != nil {
		return run, err
	}
	files, err := s.files(ctx)
	fmt.Printf("  killed: the run stands in %s, %d of %d files are analyzed, %d comments are posted, %s\n",
		run.State, files, len(run.Data.Patches), s.posted(), bounds(run))
	return run, err
}

// hasFile reports whether a file has been analyzed.
func (s *show) hasFile(ctx context.Context) bool {
	files, err := s.files(ctx)
	return err == nil && files > 0
}

// isPosting reports whether the rate limit has been met, and comments have
// been posted since.
func (s *show) isPosting(context.Context) bool {
	_, refused := s.forge.Counts()
	return refused > 0 && s.posted() > forgeLimit
}

// posted is how many comments stand in the review.
func (s *show) posted() int {
	posted, err := review.Thread{Path: reviewFile(s.dir)}.Posted()
	if err != nil {
		return 0
	}
	return len(posted)
}

func (s *show) untilDone(ctx context.Context) error {
	cmd, err := s.start(ctx)
	if err != nil {
		return err
	}
	return cmd.Wait()
}
