package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

// TestDeployed: workers are deployed by version. A run stays with the version that it began with, and goes on with the
// current one in a new execution; the old one can be stopped then.
func TestDeployed(t *testing.T) {
	c := dial(t, t.Name())
	deployed := c.Temporal.WorkerDeploymentClient().GetHandle(t.Name())
	serves := func(build string) worker.Worker {
		t.Helper()
		by := temporal.Options()
		by.DeploymentOptions = worker.DeploymentOptions{UseVersioning: true,
			Version: worker.WorkerDeploymentVersion{DeploymentName: t.Name(), BuildID: build}}
		w := worker.New(c.Temporal, c.TaskQueue, by)
		if err := temporal.Register(w, temporal.Worker{Name: build, Machine: counter, Handlers: runtime.Handlers{}, Client: c.Temporal}); err != nil {
			t.Fatal(err)
		}
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		var err error
		for range 300 { // the server hears of it with the first poll
			if _, err = deployed.SetCurrentVersion(t.Context(), client.WorkerDeploymentSetCurrentVersionOptions{BuildID: build}); err == nil {
				return w
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Fatal(err)
		return nil
	}
	sent := 0
	send := func() {
		t.Helper()
		sent++
		if _, err := c.Send(t.Context(), "deployed", machine.ExternalEvent{Name: "Add", ID: fmt.Sprint(sent), Data: json.RawMessage(`{"n":1}`)}); err != nil {
			t.Fatal(err)
		}
	}
	version := func() string {
		t.Helper()
		about, err := c.Temporal.DescribeWorkflowExecution(t.Context(), "deployed", "")
		if err != nil {
			t.Fatal(err)
		}
		return about.GetWorkflowExecutionInfo().GetVersioningInfo().GetDeploymentVersion().GetBuildId()
	}
	first := serves("1")
	if err := c.Start(t.Context(), counter, "deployed", nil); err != nil {
		t.Fatal(err)
	}
	send()
	if got := version(); got != "1" {
		t.Errorf("the run is with version %q", got)
	}
	t.Cleanup(serves("2").Stop)
	for range 300 {
		if send(); version() == "2" {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if got := version(); got != "2" {
		t.Errorf("the run is with version %q", got)
	}
	first.Stop()
	send()
	v, err := c.Show(t.Context(), "deployed")
	if err != nil || string(v.Data) != fmt.Sprintf(`{"n":%d}`, sent) {
		t.Errorf("the run has %s, %v, after %d events", v.Data, err, sent)
	}
}

// TestCommandDeployed: fsmc-temporal run is a worker of a deployment where it is told so.
func TestCommandDeployed(t *testing.T) {
	folder := t.TempDir()
	program, path := command(t, folder), filepath.Join(folder, "order.fsm")
	write(t, path, source, 0o600)
	write(t, filepath.Join(folder, "work"), "#!/bin/sh\ncat >/dev/null\necho '{\"event\": \"Worked\", \"data\": {\"n\": 7}}'\n", 0o700)
	c := dial(t, t.Name())
	works := exec.Command(program, "run", path, "--activities", folder, "--outbox", "cat", "--deployment", t.Name(), "--build-id", "7")
	works.Env = append(os.Environ(), fmt.Sprintf("FSMC_DB=temporal://%s/%s?queue=%s", server().GetFrontendHostPort(), server().GetDefaultNamespace(), t.Name()))
	works.Stderr = os.Stderr
	if err := works.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = works.Process.Kill(), works.Wait() })
	deployed := c.Temporal.WorkerDeploymentClient().GetHandle(t.Name())
	var err error
	for range 300 { // the server hears of it with the first poll
		if _, err = deployed.SetCurrentVersion(t.Context(), client.WorkerDeploymentSetCurrentVersionOptions{BuildID: "7"}); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err == nil {
		err = c.Start(t.Context(), order, "by-command", json.RawMessage(`{"item":"book"}`))
	}
	if err == nil {
		_, err = c.Send(t.Context(), "by-command", machine.ExternalEvent{Name: "Approve", Data: json.RawMessage(`{"by":"ada"}`)})
	}
	if err != nil {
		t.Fatal(err)
	}
	if v := finished(t, c, "by-command"); v.State != "Done" {
		t.Errorf("the run ends in %q", v.State)
	}
	about, err := c.Temporal.DescribeWorkflowExecution(t.Context(), "by-command", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := about.GetWorkflowExecutionInfo().GetVersioningInfo().GetDeploymentVersion().GetBuildId(); got != "7" {
		t.Errorf("the run is with version %q", got)
	}
}
