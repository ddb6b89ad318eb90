package lab

import (
	"net"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// Terminal is like Client, for a program that needs a terminal: script(1) provides one of 24 lines and 80 columns. The test is skipped with
// -short, and on systems other than Linux.
func Terminal(t testing.TB, program string, args ...string) *exec.Cmd {
	t.Helper()
	line := "stty rows 24 cols 80; exec"
	for _, arg := range append([]string{program}, args...) {
		line += " '" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	switch {
	case testing.Short():
		t.Skip("sessions in terminals are slow")
	case runtime.GOOS != "linux":
		t.Skip("script(1) has other options on this system")
	}
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed", program)
	}
	cmd := Client(t, "script", "-q", "-e", "-f", "-c", line, "/dev/null")
	cmd.Env = append(cmd.Env, "TERM=xterm", "SHELL=/bin/sh")
	return cmd
}

// Run runs Client and returns its standard output. Standard error is logged if it fails.
func Run(t testing.TB, program string, args ...string) (string, error) {
	t.Helper()
	cmd := Client(t, program, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Logf("%s %q: %v: %s", program, args, err, stderr.String())
	}
	return string(out), err
}

// Netcat sends input to addr with nc, and returns what the server sends until it closes the connection.
func Netcat(t testing.TB, addr, input string) string {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	cmd := Client(t, "nc", host, port)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("nc %s %s with input %q: %v", host, port, input, err)
	}
	return string(out)
}
