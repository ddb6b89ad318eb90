//go:build unix

package external

import (
	"os/exec"
	"syscall"
)

// killGroup makes the program lead a process group, so that its children are killed with it.
func killGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
