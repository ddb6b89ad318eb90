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
		takes  time.Duration
	}{
		{"empty", Faults{Empty: true}, "", false, 0},
		{"cut", Faults{CutAfter: 3}, "hel", false, 0},
		{"cut after the end", Faults{CutAfter: 100}, "hello\r\n.\r\n", false, 0},
		{"reset", Faults{CutAfter: 3, Reset: true}, "hel", true, 0},
		{"empty and reset", Faults{Empty: true, Reset: true}, "", true, 0},
		{"other answer", Faults{Reply: map[string]string{"/README.txt": "\x1b[31m"}}, "\x1b[31m", false, 0},
		{"other answer to the whole line", Faults{Reply: map[string]string{"/README.txt\twords": "x"}}, "hello\r\n.\r\n", false, 0},
		{"in pieces", Faults{Chunk: 1, ChunkDelay: time.Second}, "hello\r\n.\r\n", false, 10 * time.Second},
		{"late", Faults{Delay: 20 * time.Second}, "hello\r\n.\r\n", false, 20 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, Options{Faults: &tt.f}, func(t *testing.T, s *loopback.Server) {
				began := time.Now()
				got, err := ask(t, s, "/README.txt\r\n")
				if got != tt.want || (err != nil) != tt.resets {
					t.Errorf("%q, %v; want %q", got, err, tt.want)
				}
				if took := time.Since(began); took != tt.takes {
					t.Errorf("got the answer after %s, want %s", took, tt.takes)
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
