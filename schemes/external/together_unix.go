//go:build unix

package external

import (
	"os/exec"
	"syscall"
)

// together makes the program the head of a process group, so that its children die with it.
func together(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
