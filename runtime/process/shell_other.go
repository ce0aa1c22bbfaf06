//go:build !unix

package process

import "os/exec"

// shell is a command line as people write it: "python3 worker.py".
func shell(command string) *exec.Cmd { return exec.Command("cmd", "/C", command) }
