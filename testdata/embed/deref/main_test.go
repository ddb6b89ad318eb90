package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The test binary is also the command.
func TestMain(m *testing.M) {
	if os.Getenv("TEST_DEREF") != "" {
		main()
	}
	m.Run()
}

// The command knows the scheme.
func TestScheme(t *testing.T) {
	home := t.TempDir()
	for _, tt := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"x-gunzip:data:,x"}, "deref: redirect: x-gunzip refers to data:,x, which is not followed by default\n", 10},
		{[]string{"--follow-to", "data", "x-gunzip:data:;base64,H4sIAAAAAAAAA8tIzcnJ5wIAIDA6NgYAAAA="}, "hello\n", 0},
		{[]string{"explain", "x-gunzip:gopher://h/0a"}, "  get gopher://h/0a\n    server h:70 (tcp)\n      a\n", 0},
		{[]string{"schemes"}, "x-gunzip     retrieves               another object, decompressed\n", 0},
		{[]string{"help", "x-gunzip"}, "x-gunzip: another object, decompressed\n", 0},
		{[]string{"complete-word", "--", "x-gun"}, "x-gunzip:\n", 0},
	} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], tt.args...)
		cmd.Env = append(os.Environ(), "TEST_DEREF=1", "HOME="+home, "XDG_CONFIG_HOME=")
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != tt.code || !strings.Contains(string(out), tt.want) {
			t.Errorf("%q: got %q and the exit code %d, want %q and %d", tt.args, out, code, tt.want, tt.code)
		}
	}
}
