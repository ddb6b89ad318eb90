//go:build unix || windows

// Package hubtest has the processes of tests that share a job, and a hub.
package hubtest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A Process plays a role in a test. It executes the binary of the test again.
type Process struct {
	cmd   *exec.Cmd
	lines chan string
}

// maxLines bounds the lines of a process that Count has not read. Later ones are lost.
const maxLines = 10_000

// Start starts a process with an environment in addition to that of the test, and returns after its first line. A line that begins with "error" or
// "derefd:", or none, fails the test. The process ends with the test.
func Start(t *testing.T, env []string, args ...string) *Process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &Process{cmd: exec.Command(exe, args...), lines: make(chan string, maxLines)}
	p.cmd.Env = append(append(os.Environ(), "GOMAXPROCS=2"), env...)
	out, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.cmd.Stderr = w, w
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() {
		p.Kill()
		out.Close()
	})
	go p.read(out)
	if line, ok := <-p.lines; !ok || strings.HasPrefix(line, "error") || strings.HasPrefix(line, "derefd:") {
		t.Fatalf("%v: got %q, want a running process", args, line)
	}
	return p
}

// read splits the output into lines. A bufio.Scanner would end at a long one, and the process would block.
func (p *Process) read(out *os.File) {
	defer close(p.lines)
	text := ""
	b := make([]byte, 4096)
	for {
		n, err := out.Read(b)
		text += string(b[:n])
		for {
			line, rest, ok := strings.Cut(text, "\n")
			if !ok {
				break
			}
			select {
			case p.lines <- line:
			default:
			}
			text = rest
		}
		if err != nil {
			return
		}
	}
}

// Pid returns the number of the process.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Kill ends the process at once (SIGKILL).
func (p *Process) Kill() {
	if p.cmd.ProcessState == nil {
		p.cmd.Process.Kill()
		p.cmd.Wait()
	}
}

// Wait waits until the process ends by itself.
func (p *Process) Wait() error { return p.cmd.Wait() }

// Count returns how many of the lines since the last call contain a text.
func (p *Process) Count(text string) (n int) {
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				return n
			}
			if strings.Contains(line, text) {
				n++
			}
		default:
			return n
		}
	}
}

// Line returns the next line that contains a text. It returns "" if the process ends without one.
func (p *Process) Line(text string) string {
	for line := range p.lines {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}
