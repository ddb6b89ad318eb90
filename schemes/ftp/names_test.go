package ftp_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/traditionalchinese"

	"example.org/deref/fetch"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/uri"
)

// newNamesLab serves files whose contents are their names.
func newNamesLab(t *testing.T, o *ftptest.Options, names ...string) *setting {
	t.Helper()
	site := fstest.MapFS{}
	for _, n := range names {
		site[n] = &fstest.MapFile{Data: []byte(n)}
	}
	srv := ftptest.NewServer(site, o)
	c := fetch.New(ftp.Schemes(nil)...)
	t.Cleanup(func() { c.Close(); srv.Close() })
	return &setting{c, srv}
}

// walk fetches all files below u with the same settings, and returns their contents by URI without the server's part.
func (l *setting) walk(t *testing.T, u uri.URI, set map[string][]string, all map[string]string) {
	t.Helper()
	d, err := l.Get(t.Context(), u, &fetch.Options{Set: set})
	if err != nil {
		t.Errorf("%s: got %v, want no error", u, err)
		return
	}
	if d.Entries == nil {
		b, err := io.ReadAll(d.Body)
		if err != nil {
			t.Error(err)
		}
		d.Body.Close()
		all[strings.TrimPrefix(u.String(), l.srv.URL)] = string(b)
		return
	}
	var next []uri.URI
	for e, err := range d.Entries {
		if err != nil {
			t.Error(err)
		}
		next = append(next, e.URI)
		path := strings.TrimSuffix(e.URI.Path().Decode(), "/")
		if name := path[strings.LastIndexByte(path, '/')+1:]; e.Title != name {
			t.Errorf("%s: got the title %q, want %q", e.URI, e.Title, name)
		}
	}
	d.Body.Close()
	for _, n := range next {
		l.walk(t, n, set, all)
	}
}

// Every file of a server with names in an old charset is listed and fetched with URIs in UTF-8, and with the server's own bytes as before.
func TestCharsetOfNames(t *testing.T) {
	t.Parallel()
	for label, c := range map[string]struct {
		encoding encoding.Encoding
		names    []string
		bytes    string // the URI of the first without the setting
	}{
		"koi8-r":    {charmap.KOI8R, []string{"Привет.txt", "мир/ещё.txt", "plain.txt"}, "/%F0%D2%C9%D7%C5%D4.txt"},
		"cp437":     {charmap.CodePage437, []string{"Müller.txt", "½.txt"}, "/M%81ller.txt"},
		"cp866":     {charmap.CodePage866, []string{"ПРИВЕТ.TXT"}, "/%8F%90%88%82%85%92.TXT"},
		"shift_jis": {japanese.ShiftJIS, []string{"表.txt", "ポ/ソ.txt"}, "/%95%5C.txt"}, // the second bytes are \ and |
		"big5":      {traditionalchinese.Big5, []string{"功.txt", "許/功蓋.txt"}, "/%A5%5C.txt"},
	} {
		l := newNamesLab(t, &ftptest.Options{Names: c.encoding}, c.names...)
		got := map[string]string{}
		l.walk(t, uri.MustParse(l.srv.URL+"/"), map[string][]string{"ftp.charset": {label}}, got)
		for _, name := range c.names {
			path := "/" + strings.ReplaceAll(string(uri.FTPSegment.Escape(uri.RFC3986, name)), "%2F", "/")
			if got[path] != name {
				t.Errorf("%s: got %q for %s, want %q; all: %q", label, got[path], path, name, got)
			}
		}
		if len(got) != len(c.names) {
			t.Errorf("%s: got %q, want %d files", label, got, len(c.names))
		}
		for _, set := range []map[string][]string{nil, {"ftp.charset": {label}}} {
			if b, err := l.text(t, c.bytes, &fetch.Options{Set: set}); b != c.names[0] || err != nil {
				t.Errorf("%s: got %q, %v for %s, want %q", label, b, err, c.bytes, c.names[0])
			}
		}
	}
}

// The charset that is chosen for texts decodes titles only: URIs have the server's bytes, so that they are valid without it.
func TestChosenCharset(t *testing.T) {
	t.Parallel()
	l := newNamesLab(t, &ftptest.Options{Names: charmap.KOI8R}, "мир")
	d, err := l.get(t, "/", &fetch.Options{Charset: "koi8-r"})
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range d.Entries {
		if err != nil || e.Title != "мир" || e.URI.String() != l.srv.URL+"/%CD%C9%D2" || !slices.Equal(e.Attr["octets"], []string{"\xcd\xc9\xd2"}) {
			t.Errorf("got %q %s %q, %v, want мир with the server's bytes", e.Title, e.URI, e.Attr["octets"], err)
		}
	}
}

func TestCharsetIsChecked(t *testing.T) {
	t.Parallel()
	l := newNamesLab(t, &ftptest.Options{Names: charmap.KOI8R}, "a")
	set := func(label string) *fetch.Options {
		return &fetch.Options{Set: map[string][]string{"ftp.charset": {label}}}
	}
	if _, err := l.text(t, "/a", set("koi9")); !errors.Is(err, fetch.ErrUnsupported) {
		t.Errorf("got %v for an unknown charset, want unsupported", err)
	}
	if _, err := l.text(t, "/%E6%BC%A2", set("koi8-r")); !errors.Is(err, fetch.ErrNotFound) {
		t.Errorf("got %v for a character that the charset lacks, want notfound", err)
	}
	if _, err := l.text(t, "/%D0%B9%0D%0ADELE%20x", set("koi8-r")); !errors.Is(err, fetch.ErrRefusedURL) {
		t.Errorf("got %v for a line end, want refused-url", err)
	}
	if b, err := l.text(t, "/a", set("utf-8")); b != "a" || err != nil {
		t.Errorf("got %q, %v in UTF-8, want a", b, err)
	}
}

// A server that uses UTF-8 only after OPTS UTF8 ON gets it, in the pipeline.
func TestUTF8OnRequest(t *testing.T) {
	t.Parallel()
	o := &ftptest.Options{Names: charmap.Windows1251, UTF8OnRequest: true}
	names := []string{"Привет.txt", "мир/漢字.txt", "plain.txt"}
	l := newNamesLab(t, o, names...)
	got := map[string]string{}
	l.walk(t, uri.MustParse(l.srv.URL+"/"), nil, got)
	for _, name := range names {
		path := "/" + strings.ReplaceAll(string(uri.FTPSegment.Escape(uri.RFC3986, name)), "%2F", "/")
		if got[path] != name {
			t.Errorf("got %q for %s, want %q; all: %q", got[path], path, name, got)
		}
	}
	for name, c := range map[string]struct {
		path, set string
		wants     int
		bytes     string
	}{
		"a path in UTF-8":         {"/%D0%BC%D0%B8%D1%80/%E6%BC%A2%E5%AD%97.txt", "", 1, "мир/漢字.txt"},
		"a path in ASCII":         {"/plain.txt", "", 0, "plain.txt"},
		"a path in bytes":         {"/%CF%F0%E8%E2%E5%F2.txt", "", 0, "Привет.txt"},
		"a path with its charset": {"/%D0%9F%D1%80%D0%B8%D0%B2%D0%B5%D1%82.txt", "windows-1251", 0, "Привет.txt"},
	} {
		l := newNamesLab(t, o, names...)
		b, err := l.text(t, c.path, &fetch.Options{Set: map[string][]string{"ftp.charset": {c.set}}})
		if b != c.bytes || err != nil {
			t.Errorf("%s: got %q, %v, want %q", name, b, err, c.bytes)
		}
		if n := strings.Count(strings.Join(l.srv.Transcript(), "\n"), "OPTS UTF8 ON"); n != c.wants {
			t.Errorf("%s: got OPTS %d times, want %d:\n%s", name, n, c.wants, strings.Join(l.srv.Transcript(), "\n"))
		}
	}
}

// A session sends OPTS once, and a request for the server's own bytes does not use a session that has sent it.
func TestUTF8OncePerSession(t *testing.T) {
	t.Parallel()
	l := newNamesLab(t, &ftptest.Options{Names: charmap.Windows1251, UTF8OnRequest: true}, "Привет.txt", "мир/a.txt")
	for range 2 {
		for _, path := range []string{"/", "/%D0%BC%D0%B8%D1%80/", "/%D0%BC%D0%B8%D1%80/a.txt", "/%CF%F0%E8%E2%E5%F2.txt"} {
			if _, err := l.text(t, path, nil); err != nil {
				t.Errorf("%s: got %v, want no error", path, err)
			}
		}
	}
	var users, opts int
	for _, line := range l.srv.Transcript() {
		users += strings.Count(line, "USER ")
		opts += strings.Count(line, "OPTS ")
	}
	if opts >= users {
		t.Errorf("got OPTS %d times in %d sessions, want fewer:\n%s", opts, users, strings.Join(l.srv.Transcript(), "\n"))
	}
}

// A server that does not know OPTS returns the file nevertheless.
func TestUTF8IsRefused(t *testing.T) {
	t.Parallel()
	for _, code := range []int{500, 501, 502, 503, 504, 202} {
		l := newNamesLab(t, &ftptest.Options{Faults: &ftptest.Faults{Code: map[string]int{"OPTS": code}}}, "é.txt")
		if b, err := l.text(t, "/%C3%A9.txt", nil); b != "é.txt" || err != nil {
			t.Errorf("%d: got %q, %v, want é.txt", code, b, err)
		}
	}
}

// Resuming works with converted names.
func TestCharsetAndRange(t *testing.T) {
	t.Parallel()
	l := newNamesLab(t, &ftptest.Options{Names: charmap.CodePage866}, "ПРИВЕТ.TXT")
	b, err := l.text(t, "/%D0%9F%D0%A0%D0%98%D0%92%D0%95%D0%A2.TXT",
		&fetch.Options{Set: map[string][]string{"ftp.charset": {"cp866"}}, Range: fetch.Range{From: 12}})
	if b != ".TXT" || err != nil {
		t.Errorf("got %q, %v, want .TXT", b, err)
	}
	if want := "REST 12"; !slices.Contains(l.srv.Transcript(), want) {
		t.Errorf("got %q, want %q in it", l.srv.Transcript(), want)
	}
}
