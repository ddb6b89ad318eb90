//go:build !unix

package external

import "os/exec"

// together does nothing where there are no process groups: the program alone is killed.
func together(*exec.Cmd) {}
