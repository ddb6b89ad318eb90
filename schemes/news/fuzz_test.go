package news

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/uri"
)

// scripted returns a Client whose server sends fixed bytes and ignores its input.
func scripted(t testing.TB, script []byte) *fetch.Client {
	t.Helper()
	c := fetch.New(Schemes(nil)...)
	c.Limits = fetch.Limits{Document: 1 << 20, Reply: 64 << 10, Entries: 10_000}
	c.Dialer = func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go io.Copy(io.Discard, server)
		go func() {
			server.Write(script)
			server.Close()
		}()
		return client, nil
	}
	t.Cleanup(func() { c.Close() })
	return c
}

const greeted = "200 ready\r\n500 what\r\n"

// A server can invent numbers and lists of them without end.
func TestHugeGroup(t *testing.T) {
	if testing.Short() {
		t.Skip("requests a quarter of a million articles")
	}
	t.Parallel()
	for name, script := range map[string]string{
		"without articles": "211 5 1 999999999999999 g\r\n500 what\r\n" + strings.Repeat("423 none\r\n", maxHoles+20_000),
		"too many":         "211 5 1 100 g\r\n211 list\r\n" + strings.Repeat("7\r\n", 50_000) + ".\r\n",
	} {
		d, err := scripted(t, []byte(greeted+script)).Get(t.Context(), uri.MustParse("news://h/g"),
			&fetch.Options{Set: map[string][]string{"news.view": {"mbox"}}})
		if err == nil {
			_, err = io.Copy(io.Discard, d.Body)
			d.Body.Close()
		}
		if fetch.KindOf(err) != fetch.ErrLimit {
			t.Errorf("%s: got %v, want %v", name, err, fetch.ErrLimit)
		}
	}
	for span, want := range map[int64]int{7: 7, 999999999999999: maxNumbers} {
		n := 0
		visit := limited(span, func(string) { n++ })
		for n <= want && visit("") == nil {
		}
		if n != want {
			t.Errorf("a list of %d: got %d lines, want %d", span, n, want)
		}
	}
}

// FuzzText checks that any article with CRLF survives dot-stuffing, however the connection divides it. A text without its last line is an
// error.
func FuzzText(f *testing.F) {
	f.Add([]byte("A: b\r\n\r\n.\r\n..\r\n...x\r\ny"), 1)
	f.Add([]byte("\r\n.\n.\r\n\n.\r"), 3)
	f.Add([]byte(""), 2)
	f.Fuzz(func(t *testing.T, in []byte, size int) {
		var b bytes.Buffer
		d := lineproto.NewDotWriter(&b)
		d.Write(in)
		d.Close()
		want := string(in)
		if want != "" && !strings.HasSuffix(want, "\n") {
			want = strings.TrimSuffix(want, "\r") + "\r\n"
		}
		if strings.Contains(strings.ReplaceAll(want, "\r\n", ""), "\n") {
			t.Skip() // RFC 3977 does not define stuffing for bare LFs
		}
		r := io.Reader(bytes.NewReader(b.Bytes()))
		if size == 1 {
			r = iotest.OneByteReader(r)
		}
		got, err := readAll(r, b.Len())
		if err != nil || got != want {
			t.Fatalf("%q, want %q: %v", got, want, err)
		}
		if _, err := readAll(bytes.NewReader(b.Bytes()[:b.Len()-1]), b.Len()); fetch.KindOf(err) != fetch.ErrTruncated {
			t.Fatalf("a cut text: got %v, want %v", err, fetch.ErrTruncated)
		}
	})
}

// readAll reads a text of at most size bytes through a body.
func readAll(r io.Reader, size int) (string, error) {
	b := &body{text: &text{s: &session{in: ahead{bufio.NewReaderSize(r, size+1)}}}}
	p, err := io.ReadAll(b)
	return string(p), err
}

// FuzzServer: whatever a server sends, nothing panics, errors and entries have kinds, and text made of foreign bytes is UTF-8.
func FuzzServer(f *testing.F) {
	f.Add([]byte("211 1 1 1 g\r\n224 x\r\n1\ts\tf\tTue, 20 Dec 1994 12:00:00 GMT\t<a@b>\t<c@d>\t1\t2\tXref: h g:1\r\n.\r\n"), uint8(0))
	f.Add([]byte("215 x\r\ng\tabout\r\n.\r\n215 x\r\ng 2 1 y\r\n.\r\n"), uint8(1))
	f.Add([]byte("220 1 <a@b>\r\nSubject: =?utf-8?Q?=C3?=\r\nReferences: <x@y>\r\n\r\nbegin 644 a\r\n#0V%T\r\n.\r\n"), uint8(2))
	f.Add([]byte("211 3 1 3 g\r\n500 what\r\n500 what\r\n221 1 <a@b>\r\nA: b\r\n.\r\n423 no\r\n"), uint8(3))
	f.Add([]byte("211 1 1 1 g\r\n220 1 <a@b>\r\n\r\nFrom x\r\n.\r\n"), uint8(4))
	f.Add([]byte("221 x\r\nNewsgroups: g\r\n.\r\n211 1 1 1 g\r\n224 x\r\n1\ts\tf\td\t<a@b>\t<a@b>\r\n.\r\n"), uint8(5))
	f.Add([]byte("211 1 1 99 g\r\n221 x\r\n7 <a@b>\r\n.\r\n500 what\r\n225 x\r\n7 Tue, 20 Dec 1994 12:00:00 GMT\r\n.\r\n220 7 <a@b>\r\n"+
		"\r\nx\r\n.\r\n"), uint8(6))
	f.Add([]byte("480 no\r\n215 x\r\ng 2 1 y\r\nh 2 1 2 y\r\n.\r\n411 x\r\n412 x\r\n211 1 1 1 g\r\n224 x\r\n1\ts\tf\td\t<a@b>\t<a@b>\r\n"+
		".\r\n"), uint8(7))
	f.Fuzz(func(t *testing.T, script []byte, which uint8) {
		c := scripted(t, append([]byte(greeted), script...))
		o := &fetch.Options{}
		u := []string{"news://h/g", "news://h/*", "news://h/a@b", "nntp://h/g/1-3", "nntp://h/g", "news://h/a@b", "nntp://h/g",
			"news://h/*"}[which%8]
		switch which % 8 {
		case 4:
			o.Set = map[string][]string{"news.view": {"mbox"}}
		case 5:
			o.Set = map[string][]string{"news.thread": {"yes"}}
		case 6:
			o.Set = map[string][]string{"news.view": {"mbox"}, "news.since": {"1994-12-20"}}
			o.Range, o.Have = fetch.Range{From: 9}, strings.NewReader("From a@b Tue Dec 20 12:00:00 1994\nMessage-ID: <a@b>\n\nx\n")
		case 7:
			o.Set = map[string][]string{"news.since": {"1990-01-01"}}
		}
		d, err := c.Get(context.Background(), uri.MustParse(u), o)
		if err != nil {
			fetchtest.CheckError(t, err)
			return
		}
		defer d.Body.Close()
		if d.Entries == nil || which >= 128 {
			_, err := io.Copy(io.Discard, d.Body)
			fetchtest.CheckError(t, err)
			return
		}
		for e, err := range d.Entries {
			fetchtest.CheckError(t, err)
			if err == nil && (e.Kind == "" || e.Kind != fetch.KindUnknown && !utf8.ValidString(e.Title)) {
				t.Fatalf("got %+v, want a kind, and a title in UTF-8", e)
			}
		}
	})
}

// An ahead is a source for what a Reader returns: Peek returns everything that has been read.
type ahead struct{ *bufio.Reader }

func (a ahead) Peek(n int) ([]byte, error) {
	_, err := a.Reader.Peek(n)
	all, _ := a.Reader.Peek(a.Buffered())
	return all, err
}
