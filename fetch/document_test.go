package fetch_test

import (
	"bufio"
	"context"
	"io"
	"iter"
	"net/textproto"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func TestEntries(t *testing.T) {
	listing := probe{run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
		return fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
			for _, title := range []string{"one", "two", "three"} {
				if !yield(fetch.Entry{Title: title, Size: -1}, nil) {
					return
				}
			}
			yield(fetch.Entry{}, fetch.Errorf(fetch.ErrTruncated, "the end is missing"))
		}), nil
	}, plan: local}
	text := probe{run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
		return fetch.NewDocument(nil), nil
	}, plan: local}
	c := fetch.New(scheme("list", listing), scheme("text", text))
	defer c.Close()
	titles, err := collect(c.Entries(t.Context(), uri.MustParse("list:x"), nil), 9)
	if strings.Join(titles, " ") != "one two three" || fetch.KindOf(err) != fetch.ErrTruncated {
		t.Errorf("got %q, %v, want one two three and a truncated list", titles, err)
	}
	if titles, err := collect(c.Entries(t.Context(), uri.MustParse("list:x"), nil), 2); len(titles) != 2 || err != nil {
		t.Errorf("a loop that is left: %q, %v", titles, err)
	}
	if _, err := collect(c.Entries(t.Context(), uri.MustParse("text:x"), nil), 9); fetch.KindOf(err) != fetch.ErrUnsupported {
		t.Errorf("a document: %v", err)
	}
}

// local plans nothing that is contacted.
func local(uri.URI, *fetch.Options) (*fetch.Plan, error) { return &fetch.Plan{}, nil }

func collect(entries iter.Seq2[fetch.Entry, error], most int) (titles []string, err error) {
	for e, err := range entries {
		if err != nil {
			return titles, err
		}
		if titles = append(titles, e.Title); len(titles) == most {
			break
		}
	}
	return titles, nil
}

func TestContentType(t *testing.T) {
	for _, c := range []struct{ kind, header, want string }{
		{"text/html", "text/html; charset=koi8-r", "text/html; charset=koi8-r"},
		{"text/html", "Text/HTML; Charset=KOI8-R", "Text/HTML; Charset=KOI8-R"},
		{"text/html", "text/html", "text/html"},
		{"text/html", "text/plain; charset=koi8-r", "text/html"}, // the type is from elsewhere
		{"text/gemini; charset=koi8-r", "", "text/gemini; charset=koi8-r"},
		{"", "", ""},
	} {
		d := &fetch.Document{Type: c.kind, Header: textproto.MIMEHeader{"Content-Type": {c.header}}}
		if got := d.ContentType(); got != c.want {
			t.Errorf("%q, %q: got %q, want %q", c.kind, c.header, got, c.want)
		}
	}
}

// titles parses each line as an entry, up to a line with a single dot. Like other parsers, it does not read the bytes after that.
func titlesIn(r io.Reader) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		in := bufio.NewReaderSize(r, 16)
		for {
			line, err := in.ReadString('\n')
			if line == ".\n" || line == "" && err == io.EOF {
				return
			}
			if err == io.EOF {
				err = nil // with the last line
			}
			if !yield(fetch.Entry{Title: strings.TrimSpace(line), Size: -1}, err) || err != nil {
				return
			}
		}
	}
}

// broken ends with an error.
type broken struct{ io.Reader }

func (b broken) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		err = fetch.Errorf(fetch.ErrTruncated, "the end is missing")
	}
	return n, err
}

// listers are the two ways in which a handler makes entries: from the bytes of a body, or with a body made from the entries.
func listers(body io.Reader) map[string]func() *fetch.Document {
	return map[string]func() *fetch.Document{
		"ListWith": func() *fetch.Document {
			d := fetch.NewDocument(io.NopCloser(body))
			d.ListWith(titlesIn)
			return d
		},
		"NewListing": func() *fetch.Document { return fetch.NewListing(titlesIn(body)) },
	}
}

// A listing can be read only once, as entries or as bytes. Otherwise a second reader would mistake the rest for the whole.
func TestListingIsReadOnce(t *testing.T) {
	all := func(d *fetch.Document) error { _, err := collect(d.Entries, 99); return err }
	some := func(d *fetch.Document) error { _, err := collect(d.Entries, 1); return err }
	octets := func(d *fetch.Document) error { _, err := io.ReadAll(d.Body); return err }
	copied := func(d *fetch.Document) error { _, err := io.Copy(io.Discard, d.Body); return err }
	octet := func(d *fetch.Document) error { _, err := d.Body.Read(make([]byte, 1)); return err }
	closed := func(d *fetch.Document) error { return d.Body.Close() }
	type action struct {
		name string
		do   func(*fetch.Document) error
	}
	firsts := []action{{"all", all}, {"some", some}, {"octets", octets}, {"copied", copied}, {"octet", octet}, {"closed", closed}}
	for way := range listers(nil) {
		for _, first := range firsts {
			for _, second := range []action{{"all", all}, {"some", some}, {"octets", octets}, {"copied", copied}} {
				if (first.name == "octet" || first.name == "octets" || first.name == "copied") && (second.name == "octets" || second.name == "copied") {
					continue // the rest of the bytes
				}
				make := listers(strings.NewReader("one\ntwo\nthree\n.\n"))[way]
				h := probe{plan: local, run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) { return make(), nil }}
				d := mustGet(t, fetch.New(scheme("a", h)), "a:x", nil)
				if err := first.do(d); err != nil {
					t.Errorf("%s, %s: %v", way, first.name, err)
				}
				if err := second.do(d); fetch.KindOf(err) != fetch.ErrLocal {
					t.Errorf("%s, %s and then %s: %v, want an error of kind local", way, first.name, second.name, err)
				}
				d.Body.Close()
			}
		}
	}
}

// Without a Client, too.
func TestBareListingIsReadOnce(t *testing.T) {
	for way := range listers(nil) {
		for _, most := range []int{1, 99} {
			d := listers(strings.NewReader("one\ntwo\n"))[way]()
			if _, err := collect(d.Entries, most); err != nil {
				t.Errorf("%s: %v", way, err)
			}
			if got, err := collect(d.Entries, 99); fetch.KindOf(err) != fetch.ErrLocal {
				t.Errorf("%s again after %d: %q, %v, want an error of kind local", way, most, got, err)
			}
		}
	}
}

// Entries without an error are complete, as a body is: the peer has confirmed the end, even if the parser stopped before it.
func TestEntriesAreCompleteOrAnError(t *testing.T) {
	for _, text := range []string{"one\ntwo\n.\n", "one\ntwo\n.\n" + strings.Repeat("more\n", 50), "one\ntwo\n"} {
		h := probe{plan: local, run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
			return listers(broken{strings.NewReader(text)})["ListWith"](), nil
		}}
		d := mustGet(t, fetch.New(scheme("a", h)), "a:x", nil)
		if got, err := collect(d.Entries, 99); strings.Join(got, " ") != "one two" || fetch.KindOf(err) != fetch.ErrTruncated {
			t.Errorf("%.20q: %q, %v, want one, two and an error of kind truncated", text, got, err)
		}
		d.Body.Close()
	}
}
