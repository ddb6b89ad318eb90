package ftp

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/lineproto"
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

func TestCutReply(t *testing.T) {
	for in, want := range map[string]string{
		"220 ready": "220 false ready", "220-more": "220 true more", "220": "220 false ",
		" 220 x": "no", "2200": "no", "22x y": "no", "620 x": "no", "": "no", "22": "no", "220\tx": "no",
	} {
		got := "no"
		if code, more, text, ok := lineproto.CutReply(in); ok {
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
			var parts []io.Reader
			for i := 0; i < len(tt.in); i += step {
				parts = append(parts, strings.NewReader(tt.in[i:min(i+step, len(tt.in))]))
			}
			out, err := io.ReadAll(newText(io.NopCloser(io.MultiReader(parts...)), nil))
			if string(out) != tt.want || err != nil {
				t.Errorf("%q by %d: got %q, %v, want %q", tt.in, step, out, err, tt.want)
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

//go:embed doc.go
var docText string

// tableOf returns the rows of the table of error kinds in text: the reply, and the kind.
func tableOf(text, heading string) (rows [][2]string) {
	_, text, _ = strings.Cut(text, heading)
	for line := range strings.Lines(text) {
		if i := strings.Index(line, "   "); i > 0 {
			rows = append(rows, [2]string{strings.TrimLeft(line[:i], "/\t"), strings.TrimSpace(line[i:])})
		}
	}
	return rows
}

// TestKinds checks that the package page and the help have the same table, and that the program behaves accordingly.
func TestKinds(t *testing.T) {
	type sample struct {
		verb string
		code int
		text string
		want fetch.Kind
	}
	samples := map[string][]sample{ // a row without samples is tested by TestFaults or TestParts
		`421, 4yz before the data; 530 "too many users"`: {
			{"CWD", 421, "bye", fetch.ErrUnavailable}, {"RETR", 452, "later", fetch.ErrUnavailable}, {"USER", 430, "no such user",
				fetch.ErrUnavailable},
			{"PASS", 530, "too many users", fetch.ErrUnavailable},
		},
		"53z; 5yz to USER, PASS, ACCT": {
			{"CWD", 530, "log in", fetch.ErrAuth}, {"RETR", 534, "policy", fetch.ErrAuth}, {"PASS", 501, "no", fetch.ErrAuth}, {"ACCT", 550, "no",
				fetch.ErrAuth},
		},
		"5yz to AUTH, PROT where TLS is required": {{"AUTH", 502, "no", fetch.ErrTLS}, {"PROT", 536, "no", fetch.ErrTLS}},
		"522 to RETR, MLSD, LIST": {{"RETR", 522, "no", fetch.ErrTLS}, {"MLSD", 522, "no", fetch.ErrTLS},
			{"LIST", 522, "no", fetch.ErrTLS}},
		"550, 553, 501 to CWD, RETR, MLSD, LIST": {
			{"CWD", 550, "no", fetch.ErrNotFound}, {"RETR", 553, "no", fetch.ErrNotFound}, {"MLSD", 501, "no", fetch.ErrNotFound},
			{"LIST", 550, "Permission denied", fetch.ErrRefused}, {"RETR", 550, "No such file or no permission", fetch.ErrNotFound},
		},
		`450 to the same, with the text "no such"`: {{"LIST", 450, "No such file", fetch.ErrNotFound},
			{"RETR", 450, "busy", fetch.ErrUnavailable}},
		"500, 502, 504 to the same": {{"RETR", 500, "no", fetch.ErrRefused}, {"LIST", 502, "no", fetch.ErrRefused},
			{"MLSD", 504, "no", fetch.ErrRefused}},
		"4yz, 5yz after 150; more bytes than SIZE": {{atEnd, 426, "cut", fetch.ErrTransfer},
			{atEnd, 550, "no such file", fetch.ErrTransfer}},
		"fewer bytes than SIZE; neither 226 nor a size":  nil,
		"5yz to REST, more bytes than SIZE after a REST": {{"REST", 502, "no", fetch.ErrRange}},
		"all ways to a data connection refused": {
			{"EPSV", 550, "no", fetch.ErrConnect}, {"PASV", 502, "no", fetch.ErrConnect}, {"PORT", 500, "no", fetch.ErrConnect}, {"EPRT", 522,
				"no", fetch.ErrConnect},
		},
		"a reply that does not fit the command": nil,
	}
	page, helped := tableOf(docText, "Replies and kinds of error:\n//\n"), tableOf(help, "class\n")
	if !slices.Equal(page, helped) || len(page) != len(samples) {
		t.Errorf("got the table %q on the package page and %q in the help, want the same %d rows", page, helped, len(samples))
	}
	for _, row := range page {
		tests, ok := samples[row[0]]
		if !ok {
			t.Errorf("got the row %q, want one that is tested", row[0])
		}
		for _, s := range tests {
			e, _ := errors.AsType[*fetch.Error](fail(&refusal{fetch.Step{Verb: s.verb, Args: []string{"x"}}, reply{s.code, s.text}}))
			if e.Kind != s.want {
				t.Errorf("%s: %s: %d %s: got %s, want %s", row[0], s.verb, s.code, s.text, e.Kind, s.want)
			}
		}
		if kind, _, _ := strings.Cut(row[1], ";"); len(tests) > 0 && string(tests[0].want) != kind {
			t.Errorf("%s: got %s in the table, want %s", row[0], kind, tests[0].want)
		}
	}
}

// TestBusy checks that only replies about the number of users mean that the server is busy.
func TestBusy(t *testing.T) {
	for _, test := range []struct {
		verb string
		code int
		text string
		want fetch.Kind
		busy bool
	}{
		{"connecting", 421, "There are too many connections from your internet address.", fetch.ErrUnavailable, true},
		{"connecting", 530, "Sorry, the maximum number of clients (2) from your host are already connected.", fetch.ErrUnavailable, true},
		{"PASS", 530, "Sorry, the maximum number of clients (2) from your host are already connected.", fetch.ErrUnavailable, true},
		{"PASS", 530, "User anonymous access denied, too many users.", fetch.ErrUnavailable, true},
		{"PASS", 530, "Login incorrect.", fetch.ErrAuth, false},
		{"PASS", 530, "Maximum number of login attempts exceeded.", fetch.ErrAuth, false},
		{"CWD", 450, "Too busy", fetch.ErrUnavailable, false},
	} {
		r := reply{code: test.code, text: test.text}
		e, ok := errors.AsType[*fetch.Error](fail(&refusal{fetch.Step{Verb: test.verb, Args: []string{"x"}}, r}))
		if !ok || e.Kind != test.want || e.Busy != test.busy {
			t.Errorf("%s: %d %s: got %+v, want %s, busy %v", test.verb, test.code, test.text, e, test.want, test.busy)
		}
	}
}
