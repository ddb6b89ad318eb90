//go:build !unix

package external

import "os/exec"

// killGroup does nothing where there are no process groups: only the program itself is killed.
func killGroup(*exec.Cmd) {}
