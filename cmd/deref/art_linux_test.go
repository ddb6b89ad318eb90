package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A terminal shows text art in colors, and gets no other control sequence of it, unless the user wants no colors.
func TestArtOnATerminal(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "lake.ans")
	if err := os.WriteFile(file, []byte("\x1b[2J\x1b[1;34m\xb1\xb1\x1b[0m\x1b[6n\x1b]0;title\x07 end\x1a"), 0o666); err != nil {
		t.Fatal(err)
	}
	for env, want := range map[string]string{
		"NO_COLOR=":  "\x1b[0;94m▒▒\x1b[0m←]0;title• end\r\n",
		"NO_COLOR=1": "▒▒←]0;title• end\r\n",
		"TERM=dumb":  "▒▒←]0;title• end\r\n",
	} {
		keyboard, tty := pseudoTerminal(t)
		resize(t, tty, 100, 24)
		var seen watched
		go seen.follow(keyboard)
		cmd := onTerminal(tty, "file://"+file)
		cmd.Env = append(cmd.Env, env)
		if err := cmd.Run(); err != nil {
			t.Errorf("%s: got %v, want no error", env, err)
		}
		seen.wait(t, "end\r\n")
		if got := seen.String(); !strings.HasSuffix(got, want) || len(got) != len(want) {
			t.Errorf("%s: got %q, want %q", env, got, want)
		}
	}
}
