package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// TestElsewhere: a worker takes the steps, and another one, which knows nothing of fsmc, has the activities and the messages.
func TestElsewhere(t *testing.T) {
	folder := t.TempDir()
	program, path := command(t, folder), filepath.Join(folder, "order.fsm")
	write(t, path, source, 0o600)
	c := dial(t, t.Name())
	works := exec.Command(program, "run", path, "--elsewhere")
	works.Env = append(os.Environ(), fmt.Sprintf("FSMC_DB=temporal://%s/%s?queue=%s", server().GetFrontendHostPort(), server().GetDefaultNamespace(), t.Name()))
	works.Stderr = os.Stderr
	if err := works.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = works.Process.Kill(), works.Wait() })
	other := worker.New(c.Temporal, c.TaskQueue, worker.Options{DisableWorkflowWorker: true})
	other.RegisterActivityWithOptions(func(_ context.Context, request map[string]any) (map[string]any, error) {
		return map[string]any{"event": "Worked", "data": map[string]any{"n": request["attempt"]}}, nil
	}, activity.RegisterOptions{Name: "work"})
	told := make(chan any, 1)
	other.RegisterActivityWithOptions(func(_ context.Context, message map[string]any) error {
		told <- message["Event"]
		return nil
	}, activity.RegisterOptions{Name: "fsmc.Deliver"})
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Stop)
	err := c.Start(t.Context(), order, "elsewhere", json.RawMessage(`{"item":"book"}`))
	if err == nil {
		_, err = c.Send(t.Context(), "elsewhere", machine.ExternalEvent{Name: "Approve", Data: json.RawMessage(`{"by":"ada"}`)})
	}
	if err != nil {
		t.Fatal(err)
	}
	if v := finished(t, c, "elsewhere"); v.State != "Done" || string(v.Data) != `{"n":1}` {
		t.Errorf("the run ends in %q with %s", v.State, v.Data)
	}
	if event := <-told; event != "Shipped" {
		t.Errorf("the message is %v", event)
	}
}
