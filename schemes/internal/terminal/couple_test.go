package terminal

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func TestLine(t *testing.T) {
	for _, x := range []struct{ typed, send, show string }{
		{"ab\r", "ab\r\n", "ab\r\n"},
		{"ab\r\ncd\n", "ab\r\ncd\r\n", "ab\r\ncd\r\n"},
		{"abc\x7fd\r", "abd\r\n", "abc\b \bd\r\n"},
		{"\x7f\r", "\r\n", "\r\n"},
		{"é\x7fe\r", "e\r\n", "é\b \be\r\n"},
		{"ab\x15c\r", "c\r\n", "ab\b \b\b \bc\r\n"},
		{"ab\x03", "ab\x03", "ab"},
	} {
		var l Line
		var send, show []byte
		for _, c := range []byte(strings.ReplaceAll(x.typed, "\r\n", "\n")) {
			s, v := l.Type([]byte{c})
			send, show = append(send, s...), append(show, v...)
		}
		if string(send) != x.send || string(show) != x.show {
			t.Errorf("%q: sent %q, showed %q, want %q, %q", x.typed, send, show, x.send, x.show)
		}
	}
}

func TestPatience(t *testing.T) {
	prompt, line := (&screen{shown: true, tail: ' '}).wait(), (&screen{shown: true, tail: '\n'}).wait()
	if prompt >= line {
		t.Errorf("patience after a prompt is %s, after a line %s, want it shorter", prompt, line)
	}
	for text, want := range map[string]bool{" \r\n\x00": true, "\r\n>": false} {
		if got := isBlank([]byte(text)); got != want {
			t.Errorf("isBlank(%q) = %v, want %v", text, got, want)
		}
	}
}

type host struct {
	typed   strings.Builder
	ended   chan struct{}
	resizes int
	sized   chan struct{}
	fault   error // of Type
	err     error // of Listen
}

func (h *host) Listen() error       { <-h.ended; return h.err }
func (h *host) Type(p []byte) error { h.typed.Write(p); return h.fault }
func (h *host) Resize() error       { h.resizes++; close(h.sized); return nil }
func (h *host) Hangup()             { close(h.ended) }

func TestCouple(t *testing.T) {
	x, slow := errors.New("x"), fetch.Errorf(fetch.ErrTimeout, "slow")
	for _, row := range []struct{ fault, err, want error }{{nil, x, x}, {x, nil, nil}, {slow, nil, slow}} {
		in, out := io.Pipe()
		resized := make(chan struct{})
		h := &host{ended: make(chan struct{}), sized: make(chan struct{}), fault: row.fault, err: row.err}
		go func() {
			resized <- struct{}{}
			<-h.sized
			io.WriteString(out, "hello")
			out.Close()
		}()
		if err := Couple(in, resized, h); h.typed.String() != "hello" || h.resizes != 1 || err != row.want {
			t.Errorf("%v, %v: got %q, %d sizes, %v, want \"hello\", 1, %v", row.fault, row.err, h.typed.String(), h.resizes, err, row.want)
		}
	}
}

func TestIdle(t *testing.T) {
	for in, want := range map[string]time.Duration{"": 0, "0.5": time.Second / 2, "3600": time.Hour} {
		if got, err := parseIdle(in); err != nil || got != want {
			t.Errorf("parseIdle(%q) = %s, %v, want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"0", "-1", "soon", "NaN", "3601"} {
		if got, err := parseIdle(in); err == nil {
			t.Errorf("parseIdle(%q) = %s, want an error", in, got)
		}
	}
}

func TestFlow(t *testing.T) {
	var f Flow
	stopped := func() bool {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		f.Wait(ctx)
		return f.gate != nil
	}
	for _, x := range []struct {
		do          func()
		typed, rest string
		stops       bool
	}{
		{func() {}, "a\x13b\x11", "a\x13b\x11", false},
		{func() { f.Set(true) }, "a\x13b", "ab", true},
		{func() {}, "\x13c", "c", true},
		{func() {}, "\x11d", "d", false},
		{func() { f.Any(true) }, "\x13", "", true},
		{func() {}, "\x13e", "e", false},
		{func() {}, "\x13", "", true},
		{func() { f.Set(false) }, "\x11", "\x11", false},
	} {
		x.do()
		if got := string(f.Keys([]byte(x.typed))); got != x.rest || stopped() != x.stops {
			t.Errorf("%q: got %q, stopped %v, want %q, %v", x.typed, got, stopped(), x.rest, x.stops)
		}
	}
	f.Wait(t.Context()) // nothing is stopped: it returns
}

func TestParseRefuses(t *testing.T) {
	for in, kind := range map[string]fetch.Kind{
		"telnet:":              fetch.ErrRefusedURL, // no host
		"telnet://h/x":         fetch.ErrRefusedURL,
		"telnet://h?x":         fetch.ErrRefusedURL,
		"telnet://-froot@h":    fetch.ErrRefusedURL,
		"telnet://%20%09-f@h/": fetch.ErrRefusedURL, // an option after blanks
		"telnet://u%20-f@h/":   fetch.ErrRefusedURL, // an option as the second word
		"telnet://h/":          "",
		"telnet://u-f@h":       "",
	} {
		if _, err := Parse(uri.MustParse(in), 23); fetch.KindOf(err) != kind {
			t.Errorf("%s: got %v, want kind %q", in, err, kind)
		}
	}
}
