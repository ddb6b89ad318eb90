package schemetest_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.org/deref/schemes/internal/nvt"
)

// An nvtLog is a Handler that records its calls, and agrees to ECHO and BINARY.
type nvtLog struct {
	data   bytes.Buffer
	events []string
}

func (l *nvtLog) Data(p []byte) error { l.data.Write(p); return nil }
func (l *nvtLog) Command(c byte) error {
	l.events = append(l.events, fmt.Sprint("cmd ", c))
	return nil
}
func (l *nvtLog) Agree(_ nvt.Side, opt byte) bool { return opt == nvt.Echo || opt == nvt.Binary }
func (l *nvtLog) Changed(side nvt.Side, opt byte, on bool) error {
	l.events = append(l.events, fmt.Sprint("changed ", int(side), " ", opt, " ", on))
	return nil
}
func (l *nvtLog) Sub(opt byte, p []byte) error {
	l.events = append(l.events, fmt.Sprintf("sub %d %q", opt, p))
	return nil
}

func TestNVTReceive(t *testing.T) {
	for _, x := range []struct{ name, in, data, answers, events string }{
		{"plain", "ab\r\nc", "ab\r\nc", "", ""},
		{"CR NUL is CR (RFC 854)", "a\r\x00b", "a\rb", "", ""},
		{"NUL alone stays", "a\x00b", "a\x00b", "", ""},
		{"doubled IAC (RFC 854)", "a\xff\xffb", "a\xffb", "", ""},
		{"CR IAC IAC NUL", "\r\xff\xff\x00", "\r\xff\x00", "", ""},
		{"commands", "\xff\xf1\xff\xf9x", "x", "", "cmd 241|cmd 249"},
		{"agreed", "\xff\xfb\x01", "", "\xff\xfd\x01", "changed 1 1 true"},
		{"agreed once (RFC 1143)", "\xff\xfb\x01\xff\xfb\x01", "", "\xff\xfd\x01", "changed 1 1 true"},
		{"refused", "\xff\xfb\x25\xff\xfd\x26", "", "\xff\xfe\x25\xff\xfc\x26", ""},
		{"off and off again", "\xff\xfd\x01\xff\xfe\x01\xff\xfe\x01", "", "\xff\xfb\x01\xff\xfc\x01", "changed 0 1 true|changed 0 1 false"},
		{"off what is off", "\xff\xfc\x01\xff\xfe\x01", "", "", ""},
		{"binary keeps CR NUL (RFC 856)", "\xff\xfb\x00\r\x00", "\r\x00", "\xff\xfd\x00", "changed 1 0 true"},
		{"sub", "\xff\xfa\x18\x01\xff\xf0x", "x", "", `sub 24 "\x01"`},
		{"sub with IAC", "\xff\xfa\x18\xff\xff\xff\xf0", "", "", `sub 24 "\xff"`},
		{"empty sub", "\xff\xfa\xff\xf0", "", "", ""},
		{"sub without SE", "\xff\xfa\x18\x01\xff\xfb\x01x", "x", "\xff\xfd\x01", `sub 24 "\x01"|changed 1 1 true`},
	} {
		for _, step := range []int{1, 2, len(x.in)} { // however it is cut
			var l nvtLog
			s := nvt.New(&l)
			for i := 0; i < len(x.in); i += step {
				if err := s.Receive([]byte(x.in[i:min(len(x.in), i+step)])); err != nil {
					t.Fatalf("%s: %v", x.name, err)
				}
			}
			if got := string(s.Output()); got != x.answers {
				t.Errorf("%s: answers %q, want %q", x.name, got, x.answers)
			}
			if l.data.String() != x.data || strings.Join(l.events, "|") != x.events {
				t.Errorf("%s: got data %q, events %q, want %q, %q", x.name, l.data.String(), l.events, x.data, x.events)
			}
		}
	}
}

// TestNVTAsk checks RFC 1143 section 7: the queue, and a request that is withdrawn before its answer.
func TestNVTAsk(t *testing.T) {
	var l nvtLog
	s := nvt.New(&l)
	s.Ask(nvt.Them, nvt.Echo, true)
	s.Ask(nvt.Them, nvt.Echo, true)
	s.Ask(nvt.Them, nvt.Echo, false) // queued
	if got := string(s.Output()); got != "\xff\xfd\x01" {
		t.Fatalf("first request: got %q, want DO ECHO", got)
	}
	s.Receive([]byte("\xff\xfb\x01"))
	if got := string(s.Output()); got != "\xff\xfe\x01" || s.On(nvt.Them, nvt.Echo) {
		t.Fatalf("queued: got %q, on %v, want DONT ECHO and off", got, s.On(nvt.Them, nvt.Echo))
	}
	s.Ask(nvt.Them, nvt.Echo, true)
	s.Receive([]byte("\xff\xfc\x01"))
	if got := string(s.Output()); got != "\xff\xfd\x01" {
		t.Fatalf("second request: got %q, want DO ECHO", got)
	}
	s.Receive([]byte("\xff\xfb\x01"))
	if got := s.Output(); !s.On(nvt.Them, nvt.Echo) || len(got) > 0 {
		t.Fatalf("WILL ECHO: got on %v, answer %q, want on and no answer", s.On(nvt.Them, nvt.Echo), got)
	}
}

func TestNVTBounds(t *testing.T) {
	const most = 3 * 1000 // bytes of answers, to the commands in a row after which the stream is endless
	for _, x := range []struct {
		in   string
		want error
	}{
		{"\xff\xfa\x18" + strings.Repeat("x", 1<<20), nvt.ErrLong},
		{strings.Repeat("\xff\xfb\x25", 1<<16), nvt.ErrEndless},
		{strings.Repeat("\xff\xf9", 1<<16), nvt.ErrEndless},
		{strings.Repeat("\xff\xf1", 1<<16), nil}, // by which hosts keep a connection up that is silent for days
		{strings.Repeat("\xff\xfb\x25ab", 1<<16), nil},
	} {
		s := nvt.New(&nvtLog{})
		if err := s.Receive([]byte(x.in)); !errors.Is(err, x.want) {
			t.Errorf("%.8q...: got %v, want %v", x.in, err, x.want)
		}
		if n := len(s.Output()); x.want != nil && n > most {
			t.Errorf("%.8q...: got %d bytes of answers, want at most %d", x.in, n, most)
		}
	}
}

func TestNVTType(t *testing.T) {
	s := nvt.New(&nvtLog{})
	for in, want := range map[string]string{"a\n": "a\r\n", "a\r": "a\r\x00", "a\r\nb": "a\r\nb", "\xff": "\xff\xff", "\n\n": "\r\n\r\n"} {
		s.Type([]byte(in))
		if got := string(s.Output()); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	s.Receive([]byte("\xff\xfd\x00"))
	s.Output()
	s.Type([]byte("\r\xff\n"))
	if got := string(s.Output()); got != "\r\xff\xff\n" {
		t.Errorf("binary: got %q, want %q", got, "\r\xff\xff\n")
	}
}

// FuzzNVTReceive checks that it does not matter how the input is split, that answers and sub-negotiations are bounded, and that Receive is the
// inverse of Type.
func FuzzNVTReceive(f *testing.F) {
	f.Add([]byte("ab\r\x00\xff\xff\xff\xfb\x01\xff\xfa\x18\x01\xff\xf0"), 3)
	f.Add([]byte("\xff\xfa\x27\x01\x00USER\xff\xf0\xff"), 1)
	f.Fuzz(func(t *testing.T, in []byte, cut int) {
		var whole, pieces nvtLog
		a, b := nvt.New(&whole), nvt.New(&pieces)
		errA := a.Receive(in)
		cut = max(1, cut)
		var errB error
		for i := 0; i < len(in) && errB == nil; {
			n := min(len(in)-i, cut)
			errB = b.Receive(in[i : i+n])
			i += n
		}
		outA, outB := a.Output(), b.Output()
		if !errors.Is(errB, errA) || !bytes.Equal(whole.data.Bytes(), pieces.data.Bytes()) || !bytes.Equal(outA, outB) ||
			strings.Join(whole.events, "|") != strings.Join(pieces.events, "|") {
			t.Fatalf("%q in pieces of %d: got %q, %q, %q, %v, want %q, %q, %q, %v", in, cut,
				pieces.data.Bytes(), outB, pieces.events, errB, whole.data.Bytes(), outA, whole.events, errA)
		}
		if len(outA) > 2*len(in) {
			t.Fatalf("got %d bytes of answers to %d bytes, want at most twice as many", len(outA), len(in))
		}
		var back nvtLog
		typing := nvt.New(&nvtLog{})
		typing.Type(in)
		nvt.New(&back).Receive(typing.Output())
		if nvtNorm(in) != nvtNorm(back.data.Bytes()) {
			t.Fatalf("%q was read back as %q, want the same", in, back.data.Bytes())
		}
	})
}

// nvtNorm replaces CR LF by LF.
func nvtNorm(p []byte) string { return strings.ReplaceAll(string(p), "\r\n", "\n") }

// TestNVTRaw: data that is binary by another rule than the option keeps its CR NUL, and none of it is a deviation.
func TestNVTRaw(t *testing.T) {
	var l nvtLog
	s := nvt.New(&l)
	s.Raw, s.Odd = true, func(section, what string) { t.Errorf("got a deviation from %s: %s", section, what) }
	if err := s.Receive([]byte("\r\x00\rx")); err != nil || l.data.String() != "\r\x00\rx" {
		t.Errorf("got %q, %v, want all bytes", l.data.String(), err)
	}
}

// TestNVTOdd: WILL in answer to DONT is an error of the peer (RFC 1143 section 7).
func TestNVTOdd(t *testing.T) {
	var got []string
	s := nvt.New(&nvtLog{})
	s.Odd = func(section, what string) { got = append(got, what+" ("+section+")") }
	for _, in := range []string{"\xff\xfb\x01", "\xff\xfb\x01"} {
		if err := s.Receive([]byte(in)); err != nil {
			t.Fatal(err)
		}
		s.Ask(nvt.Them, nvt.Echo, false)
	}
	if want := "WILL or DO in answer to a refusal (RFC 1143 section 7)"; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
