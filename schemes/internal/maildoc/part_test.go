package maildoc

import (
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/uri"
)

const mixed = "Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\nContent-ID: <t@h>\r\n\r\n" +
	"hello\r\n" +
	"--a\r\nContent-Type: image/gif; name=\"=?utf-8?Q?caf=C3=A9.gif?=\"\r\nContent-Transfer-Encoding: base64\r\n\r\nAAEC\r\n--a--\r\n"

func message(text string) (*fetch.Document, *body) {
	b := &body{Reader: strings.NewReader(text)}
	d := fetch.NewDocument(b)
	d.End, d.Validator.Tag, d.Base = fetch.EndDeclared, "7.9", uri.MustParse("imap://h/in/;UID=9")
	return d, b
}

func TestPart(t *testing.T) {
	for _, c := range []struct {
		in         string
		n, nesting int
		want       string
		kind       fetch.Kind
	}{
		{mixed, 1, 5, "text/plain hello", ""},
		{mixed, 2, 5, "image/gif; name=\"=?utf-8?Q?caf=C3=A9.gif?=\" \x00\x01\x02", ""},
		{mixed, 3, 5, "", fetch.ErrNotFound},
		{mixed, 0, 5, "", fetch.ErrNotFound},
		{mixed, 1, -1, "text/plain hello", ""},                              // fetch.Limits: no limit
		{strings.Replace(mixed, "--a--", "", 1), 3, 5, "", fetch.ErrDecode}, // cut: whether there is a third is unknown
		{strings.Replace(mixed, "boundary=a\r\n\r\n", "boundary=b\r\n\r\n--b\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n", 1), 1,
			1, "", fetch.ErrLimit},
	} {
		m, in := message(c.in)
		d, err := Part(m, c.n, c.nesting)
		if fetch.KindOf(err) != c.kind || err == nil && c.kind != "" {
			t.Errorf("part %d: %v, want %q", c.n, err, c.kind)
		}
		if err != nil {
			if in.closed != 1 {
				t.Errorf("part %d: closed %d times, want 1", c.n, in.closed)
			}
			continue
		}
		b, err := io.ReadAll(d.Body)
		if got := d.Type + " " + string(b); err != nil || got != c.want {
			t.Errorf("part %d: %v %q, want %q", c.n, err, got, c.want)
		}
		if d.End != m.End || d.Base.String() != m.Base.String() || d.Validator.Tag != fmt.Sprintf("7.9#part%d", c.n) {
			t.Errorf("part %d: got %v %s %v, want d.End %v, d.Base %v, d.Validator.Tag %v",
				c.n, d.End, d.Base, d.Validator, m.End, m.Base.String(), fmt.Sprintf("7.9#part%d", c.n))
		}
		d.Body.Close()
		if in.closed != 1 {
			t.Errorf("part %d: closed %d times, want 1", c.n, in.closed)
		}
	}
}

// TestPartName: the name of a part is its file name, also beyond US-ASCII.
func TestPartName(t *testing.T) {
	m, _ := message(mixed)
	d, err := Part(m, 2, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	if got := d.Header.Get("Content-Disposition"); got != "attachment; filename*=utf-8''caf%C3%A9.gif" {
		t.Errorf("got %v, want %q", got, "attachment; filename*=utf-8''caf%C3%A9.gif")
	}
}

// TestPartBroken: reading a broken part returns the error.
func TestPartBroken(t *testing.T) {
	m, _ := message(strings.Replace(mixed, "AAEC", "AA!C", 1))
	d, err := Part(m, 2, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	if b, err := io.ReadAll(d.Body); fetch.KindOf(err) != fetch.ErrDecode {
		t.Errorf("got %v %q, want %v", err, b, fetch.ErrDecode)
	}
}

func TestEntries(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{mixed, []string{"part 1, text/plain;text/plain;content-id=t@h part=1 path=1",
			"café.gif;image/gif;encoding=base64 filename=café.gif part=2 path=2"}},
		{"Subject: x\r\n\r\nx", []string{"part 1, text/plain;text/plain;part=1"}},
		{strings.Replace(mixed, "--a--", "", 1), []string{"part 1, text/plain;text/plain;content-id=t@h part=1 path=1",
			"café.gif;image/gif;encoding=base64 filename=café.gif part=2 path=2", "unexpected EOF;;"}},
	} {
		var got []string
		for e, err := range listed(strings.NewReader(c.in)) {
			if err != nil {
				t.Error(err)
			}
			attr := ""
			for _, name := range slices.Sorted(maps.Keys(e.Attr)) {
				attr += " " + name + "=" + strings.Join(e.Attr[name], ",")
			}
			got = append(got, e.Title+";"+e.Type+";"+strings.TrimSpace(attr))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q\nwant\n%q", got, c.want)
		}
	}
}

// listed returns the entries of a message's parts.
func listed(in io.Reader) iter.Seq2[fetch.Entry, error] {
	d := fetch.NewDocument(io.NopCloser(in))
	List(d, 5, func(mimemail.Field) iter.Seq[fetch.Entry] { return func(func(fetch.Entry) bool) {} },
		func(_ mimemail.Header, _ mimemail.Part, e fetch.Entry) iter.Seq2[fetch.Entry, error] {
			return func(yield func(fetch.Entry, error) bool) { yield(e, nil) }
		})
	return d.Entries
}

// TestEntriesKinds: an error with a Kind belongs to the transfer, and does not become an entry.
func TestEntriesKinds(t *testing.T) {
	gone := fetch.Errorf(fetch.ErrTimeout, "too slow")
	in := io.MultiReader(strings.NewReader(mixed[:len(mixed)-20]), failing{gone})
	var last error
	n := 0
	for _, err := range listed(in) {
		last = err
		n++
	}
	if fetch.KindOf(last) != fetch.ErrTimeout || n != 2 {
		t.Errorf("got %d entries, then %v, want %v, 2", n, last, fetch.ErrTimeout)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestFragment: a part's URI gives its setting.
func TestFragment(t *testing.T) {
	u := PartURI(uri.MustParse("mid:a@b#old"), 2)
	if u.String() != "mid:a@b#part2" {
		t.Errorf("got %v, want %q", u, "mid:a@b#part2")
	}
	for f, want := range map[string]string{"part2": "mid.part=2", "part0": "=", "part-1": "=", "part": "=", "2": "=", "": "=",
		"part1x": "="} {
		if key, value := Fragment("mid.part")(f); key+"="+value != want {
			t.Errorf("%q: %s=%s, want %s", f, key, value, want)
		}
	}
}
