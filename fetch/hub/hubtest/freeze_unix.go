//go:build unix

package hubtest

import "syscall"

// Freeze stops the process (SIGSTOP), or continues it.
func (p *Process) Freeze(freeze bool) {
	if freeze {
		p.cmd.Process.Signal(syscall.SIGSTOP)
		return
	}
	p.cmd.Process.Signal(syscall.SIGCONT)
}
