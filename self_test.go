package fsmc_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestOwnMachines holds that the checker has nothing to say of this project as a whole.
func TestOwnMachines(t *testing.T) {
	out, err := exec.Command(buildFsmc(t), "check", "--strict", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "OrderFulfillment: ") {
		t.Errorf("the examples are not looked at:\n%s", out)
	}
}
