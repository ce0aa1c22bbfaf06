//go:build !unix

package pgtest

import (
	"errors"
	"os/exec"
)

func unprivileged(*exec.Cmd, string) error {
	return errors.New("FSMC_POSTGRES is not set, and a cluster is made on Unix only")
}
