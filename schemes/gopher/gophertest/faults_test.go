package gophertest

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

func TestFaults(t *testing.T) {
	tests := []struct {
		name   string
		f      Faults
		want   string
		resets bool
	}{
		{"empty", Faults{Empty: true}, "", false},
		{"cut", Faults{CutAfter: 3}, "hel", false},
		{"cut after the end", Faults{CutAfter: 100}, "hello\r\n.\r\n", false},
		{"reset", Faults{CutAfter: 3, Reset: true}, "hel", true},
		{"empty and reset", Faults{Empty: true, Reset: true}, "", true},
		{"other answer", Faults{Reply: map[string]string{"/README.txt": "\x1b[31m"}}, "\x1b[31m", false},
		{"other answer to the whole line", Faults{Reply: map[string]string{"/README.txt\twords": "x"}}, "hello\r\n.\r\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, Options{Faults: &tt.f}, func(t *testing.T, s *loopback.Server) {
				got, err := ask(t, s, "/README.txt\r\n")
				if got != tt.want || (err != nil) != tt.resets {
					t.Errorf("%q, %v; want %q", got, err, tt.want)
				}
			})
		})
	}
}

func TestStall(t *testing.T) {
	for want, f := range map[string]Faults{"hel": {StallAfter: 3}, "": {Stall: true}} {
		inBubble(t, Options{Faults: &f, Idle: 2 * time.Hour}, func(t *testing.T, s *loopback.Server) {
			c := dial(t, s)
			io.WriteString(c, "/README.txt\r\n")
			c.SetReadDeadline(time.Now().Add(time.Hour))
			b, err := io.ReadAll(c)
			if string(b) != want || !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%q, %v; want %q and a timeout", b, err, want)
			}
		})
	}
}

func TestEndless(t *testing.T) {
	for _, f := range []Faults{{Endless: true}, {EndlessLine: true}} {
		c := dial(t, start(t, &Options{Faults: &f}))
		io.WriteString(c, "/README.txt\r\n")
		b := make([]byte, 100000)
		if _, err := io.ReadFull(c, b); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(string(b), "\n"); (lines == 0) != f.EndlessLine {
			t.Errorf("%+v: got %d lines, want none only for an endless line", f, lines)
		}
		c.Close()
	}
}
