package ftp

import (
	"fmt"
	"strings"
	"testing"

	"example.org/deref/fetch"
)

func TestParseEPSV(t *testing.T) {
	tests := []struct {
		in   string
		port int // 0: refused
	}{
		{"Entering Extended Passive Mode (|||6446|)", 6446},        // RFC 2428 §3
		{"ok (!!!6446!)", 6446},                                    // any delimiter
		{"ok (|1|132.235.1.2|6275|)", 6275},                        // an address is ignored
		{"Entering Extended Passive Mode (EPSV) (|||6446|)", 6446}, // the text may have brackets of its own
		{"ok (|||0|)", 0},
		{"ok (|||65536|)", 0},
		{"ok (|||-1|)", 0},
		{"ok (|||+5|)", 0},
		{"ok (|||99999999999999999999|)", 0},
		{"ok (|||6446|", 6446},
		{"ok |||6446|", 0},
		{")(", 0},
		{"()", 0},
		{"", 0},
	}
	for _, tt := range tests {
		if got, err := parseEPSV(tt.in); got != tt.port && err == nil || (err == nil) != (tt.port > 0) {
			t.Errorf("%q: got %d, %v, want %d", tt.in, got, err, tt.port)
		}
	}
}

func TestParsePASV(t *testing.T) {
	tests := []struct {
		in   string
		port int
	}{
		{"Entering Passive Mode (127,0,0,1,94,162).", 94<<8 | 162},
		{"Entering Passive Mode 127,0,0,1,94,162", 94<<8 | 162}, // RFC 1123 §4.1.2.6: without brackets
		{"=127,0,0,1,94,162", 94<<8 | 162},
		{"ok (127, 0, 0, 1, 94, 162)", 94<<8 | 162},
		{"Entering Passive Mode (PASV) (127,0,0,1,94,162)", 94<<8 | 162}, // brackets and digits of the text's own
		{"Mode 2 (of 3) (127,0,0,1,94,162)", 94<<8 | 162},
		{"mode 2 127,0,0,1,94,162", 94<<8 | 162},
		{"ok (127,0,0,1,0,0)", 0},
		{"ok (1127,0,0,1,94,162)", 0},
		{"ok (127,0,0,1,256,1)", 0},
		{"ok (127,0,0,1,1)", 0},
		{"ok (127,0,0,1,-1,5)", 0},
		{")(", 0},
		{"", 0},
	}
	for _, tt := range tests {
		if got, err := parsePASV(tt.in); int(got.Port()) != tt.port && err == nil || (err == nil) != (tt.port > 0) {
			t.Errorf("%q: got %s, %v, want port %d", tt.in, got, err, tt.port)
		}
	}
}

func FuzzPorts(f *testing.F) {
	f.Add("(|||1|)")
	f.Add("(1,2,3,4,5,6)")
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := parseEPSV(s); err == nil && (n < 1 || n > 65535) {
			t.Errorf("%q: got port %d, want one from 1 to 65535", s, n)
		}
		if at, err := parsePASV(s); err == nil && (at.Port() == 0 || !at.Addr().Is4()) {
			t.Errorf("%q: got %s, want an IPv4 address with a port", s, at)
		}
	})
}

func TestParseLine(t *testing.T) {
	for in, want := range map[string]string{
		"220 ready": "220 false ready", "220-more": "220 true more", "220": "220 false ",
		" 220 x": "no", "2200": "no", "22x y": "no", "620 x": "no", "": "no", "22": "no", "220\tx": "no",
	} {
		got := "no"
		if code, more, text, ok := parseLine(in); ok {
			got = fmt.Sprint(code, more, " ", text)
		}
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestParsePWD(t *testing.T) {
	for in, want := range map[string]string{
		`"/" is the directory`: "/", `"/a ""b"" c" is it`: `/a "b" c`, `"/a`: "/a",
		`"DISK:[ANON]"`: "", `/`: "", `"`: "", "\"/a\nb\"": "", // only names with slashes show a hierarchy
	} {
		if got := parsePWD(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestAnnounced(t *testing.T) {
	for in, want := range map[string]int64{
		"Opening BINARY mode data connection for x (14 bytes)": 14, "a (1) b (20 Bytes).": 20,
		"(14 kbytes)": -1, "no": -1, "(-3 bytes)": -1, "(": -1,
	} {
		if got := announced(in); got != want {
			t.Errorf("%q: got %d, want %d", in, got, want)
		}
	}
}

func TestLineEnds(t *testing.T) {
	for _, tt := range []struct{ in, want string }{{"a\r\nb\r\n", "a\nb\n"}, {"a\rb\n\r\r\n", "a\rb\n\r\n"}, {"\r", "\r"}, {"", ""}} {
		for step := 1; step <= len(tt.in)+1; step++ { // a CR and its LF may come apart
			x, out := text{}, ""
			for i := 0; i < len(tt.in); i += step {
				part := tt.in[i:min(i+step, len(tt.in))]
				out += string(x.convert(nil, []byte(part), false))
			}
			out += string(x.convert(nil, nil, true))
			if out != tt.want {
				t.Errorf("%q by %d: got %q, want %q", tt.in, step, out, tt.want)
			}
		}
	}
}

func TestTelnetByte(t *testing.T) {
	const want = "RETR \xff\xff\xfe\r\n" // RFC 854: IAC is doubled
	if got := string(telnetLines(nil, []fetch.Step{{Verb: "RETR", Args: []string{"\xff\xfe"}}})); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
