package fetch_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// photo is not text in any charset.
const photo = "\xff\xd8\xff\xe0\x00\x10JFIF"

// searched is a scheme with a charset whose listing has one entry, in KOI8-R, and whose plan has the words of the search as its path.
func searched(name string, utf8Entries bool) fetch.Scheme {
	s := scheme(name, probe{
		plan: func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
			return &fetch.Plan{Shape: fetch.ShapeListing, Steps: []fetch.Step{{Args: o.Search}}}, nil
		},
		run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
			d := fetch.NewDocument(nil)
			d.Entries = func(yield func(fetch.Entry, error) bool) {
				yield(fetch.Entry{Title: "\xcd\xc9\xd2", Kind: fetch.KindEntry, Attr: map[string][]string{"from": {"д"}, "photo": {photo}}}, nil)
			}
			d.UTF8Entries = utf8Entries
			return d, nil
		}})
	s.Searches = true
	s.Settings = append(s.Settings, fetch.CharsetSetting(name))
	return s
}

func TestChosenCharset(t *testing.T) {
	c := fetch.New(searched("a", true), searched("b", false), scheme("plain", giving("")))
	for _, tt := range []struct {
		uri              string
		o                fetch.Options
		charset, word    string
		title, attribute string
	}{
		{"a://h/", fetch.Options{}, "", "мир", "\xcd\xc9\xd2", "д"},
		{"a://h/", fetch.Options{Charset: "koi8-r"}, "koi8-r", "\xcd\xc9\xd2", "мир", "д"},
		{"b://h/", fetch.Options{Charset: "koi8-r"}, "koi8-r", "\xcd\xc9\xd2", "мир", "п╢"},
		{"a://h/", fetch.Options{Set: map[string][]string{"a.charset": {"koi8-r"}}}, "koi8-r", "\xcd\xc9\xd2", "мир", "д"},
		{"a://h/", fetch.Options{Set: map[string][]string{"b.charset": {"koi8-r"}}}, "", "мир", "\xcd\xc9\xd2", "д"},
		{"a://h/", fetch.Options{Charset: "cp1251", Set: map[string][]string{"a.charset": {"koi8-r"}}}, "cp1251", "\xec\xe8\xf0", "НЙТ", "д"},
		{"a://h/", fetch.Options{Charset: "utf-8"}, "utf-8", "мир", "\xcd\xc9\xd2", "д"},
		{"a://h/", fetch.Options{Charset: "utf-16"}, "utf-16", "", "\xcd\xc9\xd2", "д"},
	} {
		o := tt.o
		o.Search = []string{"мир"}
		p, err := c.Plan(uri.MustParse(tt.uri), &o)
		if err == nil && tt.word != "" && p.Steps[0].Args[0] != tt.word {
			t.Errorf("%s %v: got the word %q, want %q", tt.uri, tt.o, p.Steps[0].Args[0], tt.word)
		}
		if tt.word == "" {
			if !errors.Is(err, fetch.ErrRefusedURL) {
				t.Errorf("%s %v: got %v, want an error for a word in UTF-16", tt.uri, tt.o, err)
			}
		} else if err != nil || p.Charset() != tt.charset {
			t.Fatalf("%s %v: got %q, %v, want %q", tt.uri, tt.o, p.Charset(), err, tt.charset)
		}
		o.Search = nil
		d := mustGet(t, c, tt.uri, &o)
		next, stop := iter.Pull2(d.Entries)
		e, err, _ := next()
		stop()
		d.Body.Close()
		if got := e.Attr["photo"][0]; got != photo {
			t.Errorf("%s %v: got the photo %q, want %q", tt.uri, tt.o, got, photo)
		}
		if e.Title != tt.title || e.Attr["from"][0] != tt.attribute || err != nil || d.Charset != tt.charset {
			t.Errorf("%s %v: got %q, %q, %v in %q, want %q, %q in %q", tt.uri, tt.o, e.Title, e.Attr["from"], err, d.Charset, tt.title, tt.attribute, tt.charset)
		}
	}
	for _, tt := range []struct {
		uri  string
		o    fetch.Options
		kind error
	}{
		{"a://h/", fetch.Options{Charset: "koi9"}, fetch.ErrUnsupported},
		{"a://h/", fetch.Options{Set: map[string][]string{"a.charset": {"koi9"}}}, fetch.ErrUnsupported},
		{"a://h/", fetch.Options{Charset: "koi8-r", Search: []string{"日本"}}, fetch.ErrRefusedURL},
	} {
		if _, err := c.Plan(uri.MustParse(tt.uri), &tt.o); !errors.Is(err, tt.kind) {
			t.Errorf("%v: got %v, want %v", tt.o, err, tt.kind)
		}
	}
	if d, err := c.Get(t.Context(), uri.MustParse("plain://h/"), &fetch.Options{Charset: "koi8-r"}); err != nil || d.Charset != "koi8-r" {
		t.Errorf("a scheme without the setting: got %v, %v, want the charset koi8-r", d, err)
	}
}

// The charset of a server's settings does not apply to other servers.
func TestCharsetOfAServer(t *testing.T) {
	first := scheme("a", leading(true, "a://two/"))
	first.Settings = append(first.Settings, fetch.CharsetSetting("a"))
	first.MayReferTo = []string{"a"}
	seen := map[string]string{}
	c := fetch.New(first)
	c.Settings = func(u uri.URI) map[string][]string {
		if u.Hostname() == "one" {
			return map[string][]string{"a.charset": {"koi8-r"}}
		}
		return nil
	}
	for _, u := range []string{"a://one/", "a://two/"} {
		p, err := c.Plan(uri.MustParse(u), nil)
		if err != nil {
			t.Fatal(err)
		}
		seen[u] = p.Charset()
	}
	if seen["a://one/"] != "koi8-r" || seen["a://two/"] != "" {
		t.Errorf("got %v, want koi8-r for one only", seen)
	}
}

// attaching is a handler whose host sends KOI8-R and repeats what is typed.
type attaching struct{ probe }

func (attaching) attach(_ context.Context, _ *fetch.Plan, _ *fetch.Env, term *fetch.Terminal) error {
	defer term.In.Close()
	if _, err := term.Out.Write([]byte("\xcd\xc9\xd2> ")); err != nil {
		return err
	}
	typed, err := io.ReadAll(term.In)
	if err == nil && string(typed) != "\xc4\xc1\n" {
		return fetch.Errorf(fetch.ErrProtocol, "got %q", typed)
	}
	return err
}

func TestCharsetOfASession(t *testing.T) {
	s := scheme("a", probe{})
	s.Does.Session = true
	s.Settings = append(s.Settings, fetch.CharsetSetting("a"))
	s.Plan = func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
		return &fetch.Plan{Shape: fetch.ShapeSession, Attach: attaching{}.attach}, nil
	}
	var out bytes.Buffer
	term := &fetch.Terminal{In: io.NopCloser(strings.NewReader("да\n")), Out: &out}
	err := fetch.New(s).Attach(t.Context(), uri.MustParse("a://h/"), term, &fetch.Options{Charset: "koi8-r"})
	if out.String() != "мир> " || err != nil {
		t.Errorf("got %q, %v, want %q and the typed text in KOI8-R", out.String(), err, "мир> ")
	}
}

// iris is a scheme whose servers send IRIs and bytes.
func iris() fetch.Scheme {
	return fetch.Scheme{Names: []string{"iri"}, MayReferTo: []string{"iri"}, Plan: func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
		p := &fetch.Plan{Network: "", Shape: fetch.ShapeListing}
		p.Run = func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
			d := fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
				yield(fetch.Entry{URI: uri.MustParse("iri://h/\xe9")}, nil)
			})
			d.Base = uri.MustParse("iri://h/é")
			if strings.HasSuffix(string(u.Path()), "/move") {
				d = &fetch.Document{Referrals: []fetch.Referral{{URI: uri.MustParse("iri://é/\xe9")}}}
			}
			return d, nil
		}
		return p, nil
	}}
}

// A Client converts IRIs before anything else, so that plans, documents and recordings have URIs.
func TestIRIs(t *testing.T) {
	c := fetch.New(iris())
	defer c.Close()
	p, err := c.Plan(uri.MustParse("iri://é/мир"), nil)
	if err != nil || p.URI.String() != "iri://xn--9ca/%D0%BC%D0%B8%D1%80" {
		t.Errorf("got the plan of %v, %v, want iri://xn--9ca/%%D0%%BC%%D0%%B8%%D1%%80", p.URI, err)
	}
	d := mustGet(t, c, "iri://h/move", nil)
	defer d.Body.Close()
	if d.URI.String() != "iri://xn--9ca/%E9" || d.Base.String() != "iri://h/%C3%A9" || d.Via[0].URI != d.URI {
		t.Errorf("got %s with the base %s from %s, want iri://xn--9ca/%%E9, iri://h/%%C3%%A9 and the first", d.URI, d.Base, d.Via[0].URI)
	}
	for e, err := range d.Entries {
		if err != nil || e.URI.String() != "iri://h/%E9" {
			t.Errorf("got the entry %s, %v, want iri://h/%%E9", e.URI, err)
		}
	}
}
