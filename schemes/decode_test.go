package schemes_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/schemes"
)

var update = flag.Bool("update", false, "write testdata/decode/*.words again")

// TestDecode compares the words about recorded conversations (deref --record) with golden files: testdata/decode/SCHEME.txt or
// SCHEME-WHAT.txt, and the same name with .words.
func TestDecode(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("testdata/decode/*.txt")
	if len(files) == 0 {
		t.Fatal("got no recorded conversations")
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		scheme, _, _ := strings.Cut(name, "-")
		s, ok := fetch.Registry(schemes.All(nil)).Lookup(scheme)
		if !ok {
			t.Errorf("%s: got no scheme of this name", file)
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := decoded(t, s, string(text))
		golden := "testdata/decode/" + name + ".words"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if want, _ := os.ReadFile(golden); got != string(want) {
			t.Errorf("%s: got\n%swant\n%s", name, got, want)
		}
	}
}

// decoded returns the words about a script.
func decoded(t *testing.T, s fetch.Scheme, text string) string {
	script, err := dialogue.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	type way struct {
		dir  byte
		conn int
	}
	framers := map[way]*fetch.Framer{}
	var b strings.Builder
	for _, l := range script.Lines {
		if l.Dir == '*' {
			continue
		}
		var list []string
		if l.Conn == 0 {
			words, _ := s.Decode(fetch.Frame{Dir: l.Dir, Data: l.Data, Datagram: true})
			list = []string{words}
		} else {
			w := way{l.Dir, l.Conn}
			if framers[w] == nil {
				framers[w] = &fetch.Framer{}
			}
			list = framers[w].Decode(s.Decode, l.Dir, l.Data)
		}
		for _, words := range list {
			b.WriteString(string(l.Dir) + ": " + words + "\n")
		}
	}
	return b.String()
}

// TestDecodeHidesSecrets feeds decoders with frames that contain credentials and what users type.
func TestDecodeHidesSecrets(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ scheme, frame, want string }{
		{"ldap", "\x30\x17\x02\x01\x01\x60\x12\x02\x01\x03\x04\x05cn=me\x80\x06sesame", `bindRequest 1 version 3 "cn=me" simple ***`},
		{"ldap", "\x30\x1d\x02\x01\x01\x60\x18\x02\x01\x03\x04\x00\xa3\x11\x04\x05PLAIN\x04\x08\x00\x00sesame", `bindRequest 1 version 3 "" sasl PLAIN ***`},
		{"snmp", "\x30\x1a\x02\x01\x01\x04\x06sesame\xa0\x0b\x02\x01\x05\x02\x01\x00\x02\x01\x00\x30\x00", `version 2c community *** get-request 5`},
		{"telnet", "\xff\xfa\x25\x00sesame\xff\xf0", "IAC SB AUTHENTICATION *** IAC SE"},
		{"telnet", "\xff\xfa\x27\x00\x00USER\x01ann\x03PASS\x01sesame\xff\xf0", `IAC SB NEW-ENVIRON IS VAR "USER" VALUE "ann" USERVAR "PASS" VALUE *** IAC SE`},
		{"telnet", "sesame\r\n", ""},
		{"rlogin", "sesame\r", ""},
		{"rlogin", "\x00sesame\x00\x00\x00", ""}, // a user has typed it
		{"tn3270", "\x7d\xc1\x50\x11\xc1\x50\xa2\x85\xa2\x81\x94\x85\xff\xef", "Enter cursor 80 SBA 80 6 characters IAC EOR"}, // sesame in EBCDIC
		{"tn3270", "\x00\x00\x00\x00\x01\x7d\xc1\x50\x11\xc1\x50\x08\xa2\x08\x85\xff\xef", "3270-DATA 1: Enter cursor 80 SBA 80 2 characters IAC EOR"},
	} {
		s, _ := fetch.Registry(schemes.All(nil)).Lookup(x.scheme)
		got, _ := s.Decode(fetch.Frame{Dir: fetch.FromClient, Data: []byte(x.frame), Datagram: x.scheme == "snmp"})
		if got != x.want {
			t.Errorf("%s: Decode(%q): got %q, want %q", x.scheme, x.frame, got, x.want)
		}
	}
}
