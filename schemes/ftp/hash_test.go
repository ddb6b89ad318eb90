package ftp_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/ftp/ftptest"
)

const hashBegin = `
*: [connected to ftp.example:21]
S: 220 ready
C: USER anonymous
C: PASS deref@
C: TYPE I
C: SIZE f.txt
C: MDTM f.txt
C: OPTS HASH SHA-256
C: HASH f.txt
S: 331 Any password will do
S: 230 Logged in
S: 200 TYPE is I
S: 213 14
S: 213 19941220120000
`

const hashEnd = `
C: EPSV
C: RETR f.txt
S: 229 Entering Extended Passive Mode (|||4001|)
*2: [connected to ftp.example:4001]
S: 150 Opening BINARY mode data connection for f.txt (14 bytes)
S2: Hello, world
*2: [end]
S: 226 Transfer complete
*: [whole]
C: QUIT
`

const (
	helloSum = "701e802eb2e1731106c8c360387ce69c1be64673c25bfbb779b654a9d0a21e44"
	hello64  = "cB6ALrLhcxEGyMNgOHzmnBvmRnPCW/u3ebZUqdCiHkQ="

	ifRefused = "*: [if HASH was refused]\nC: XSHA256 f.txt\n"
)

// The replies are those of proftpd 1.3.8 with mod_digest (observed), whose HASH uses SHA-1 until OPTS chooses another algorithm. The first is tried
// with all faults.
func TestDigestOfTheServer(t *testing.T) {
	want := &fetch.Options{Set: map[string][]string{"ftp.want-digest": {"yes"}}}
	for i, x := range []struct{ replies, want string }{
		{"S: 200 SHA-256\nS: 213-Computing SHA-256 digest\nS: 213 SHA-256 0-14 " + helloSum + " f.txt\n", "sha-256=:" + hello64 + ":"},
		{"S: 501 HASH not supported\nS: 500 HASH not understood\n" + ifRefused + "S: 250-Computing SHA256 digest\nS: 250 " + helloSum + "\n",
			"sha-256=:" + hello64 + ":"},
		{"S: 501 No such option\nS: 502 HASH not implemented\n" + ifRefused + "S: 502 XSHA256 not implemented\n", ""},
		{"S: 200 SHA-256\nS: 213 SHA-256 3-14 " + helloSum + " f.txt\n" + ifRefused + "S: 250 0\n", ""},
	} {
		const u, body = "ftp://ftp.example/f.txt", "Hello, world\r\n"
		check := func(t testing.TB, d *fetch.Document, _ []byte) {
			if got := d.Header.Get("Repr-Digest"); got != x.want {
				t.Errorf("%s: got Repr-Digest %q, want %q", x.replies, got, x.want)
			}
		}
		script := hashBegin + x.replies + hashEnd
		if i == 0 {
			fetchtest.Test(t, ftp.Schemes(nil)[0], fetchtest.Case{URI: u, Script: script, Body: body, End: fetch.EndDeclared, Options: *want, Check: check})
			continue
		}
		s, err := dialogue.Parse(script)
		if err != nil {
			t.Fatal(err)
		}
		p, err := dialogue.NewPlayer(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := fetch.New(ftp.Schemes(nil)...)
		p.Attach(c)
		d, got, err := fetchtest.GetWith(t, c, u, want)
		c.Close()
		if err != nil || got != body || p.Close() != nil {
			t.Fatalf("%s: got %q, %v, deviation %v, want %q", x.replies, got, err, p.Close(), body)
		}
		check(t, d, nil)
	}
}

// TestListed: SIZE and MDTM are not sent if a listing has stated what they would, and a file of another size is not the listed one.
func TestListed(t *testing.T) {
	const path = "/names/a%20folder/b%20folder/c%20d.txt"
	l := newLab(t, &ftptest.Options{})
	plain, err := l.get(t, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	exact := fetch.Entry{Kind: fetch.KindFile, Size: plain.Size, Modified: plain.Modified, Precision: time.Second}
	change := func(f func(*fetch.Entry)) *fetch.Entry {
		e := exact
		f(&e)
		return &e
	}
	for _, tt := range []struct {
		name string
		o    fetch.Options
		want string // of SIZE and MDTM, those that are sent
		kind fetch.Kind
	}{
		{"nothing listed", fetch.Options{}, "SIZE MDTM", ""},
		{"exact", fetch.Options{Listed: &exact}, "", ""},
		{"minute", fetch.Options{Listed: change(func(e *fetch.Entry) { e.Precision = time.Minute })}, "MDTM", ""},
		{"zone unknown", fetch.Options{Listed: change(func(e *fetch.Entry) { e.ZoneUnknown = true })}, "MDTM", ""},
		{"fraction", fetch.Options{Listed: change(func(e *fetch.Entry) { e.Modified = e.Modified.Add(time.Millisecond) })}, "MDTM", ""},
		{"no time", fetch.Options{Listed: change(func(e *fetch.Entry) { e.Modified = time.Time{} })}, "MDTM", ""},
		{"size unknown", fetch.Options{Listed: change(func(e *fetch.Entry) { e.Size = -1 })}, "SIZE MDTM", ""},
		{"link", fetch.Options{Listed: change(func(e *fetch.Entry) { e.Kind = fetch.KindLink })}, "SIZE MDTM", ""},
		{"range", fetch.Options{Listed: &exact, Range: fetch.Range{From: 1}}, "SIZE MDTM", ""},
		{"condition", fetch.Options{Listed: &exact, IfChanged: fetch.Validator{Modified: "19900101000000"}}, "SIZE MDTM", ""},
		{"smaller", fetch.Options{Listed: change(func(e *fetch.Entry) { e.Size-- })}, "", fetch.ErrChanged},
		{"larger", fetch.Options{Listed: change(func(e *fetch.Entry) { e.Size++ })}, "", fetch.ErrChanged},
	} {
		var sent steps
		got, err := l.text(t, path, sent.options(tt.o))
		if fetch.KindOf(err) != tt.kind {
			t.Errorf("%s: got %v, want kind %q", tt.name, err, tt.kind)
		}
		if want := site(t, "names/a folder/b folder/c d.txt")[tt.o.Range.From:]; err == nil && got != want {
			t.Errorf("%s: got %q, want %q", tt.name, got, want)
		}
		var asked []string
		for _, line := range sent.list {
			if verb, _, _ := strings.Cut(line, " "); verb == "SIZE" || verb == "MDTM" {
				asked = append(asked, verb)
			}
		}
		if got := strings.Join(asked, " "); got != tt.want {
			t.Errorf("%s: sent %q, want %q", tt.name, got, tt.want)
		}
	}
	d, err := l.get(t, path, &fetch.Options{Listed: &exact})
	if err != nil || d.Validator != plain.Validator || !d.Modified.Equal(plain.Modified) || d.Size != plain.Size ||
		!slices.Equal(d.Header["Last-Modified"], plain.Header["Last-Modified"]) {
		t.Errorf("got %v, %+v, want the facts %+v", err, d, plain)
	}
}
