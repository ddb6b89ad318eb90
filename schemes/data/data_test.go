package data

import (
	"encoding/base64"
	"errors"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/uri"
)

func get(t *testing.T, s string, o *fetch.Options) (*fetch.Document, string, error) {
	t.Helper()
	return fetchtest.Get(t, s, o, Scheme())
}

func TestObjects(t *testing.T) {
	for _, tt := range []struct{ in, typ, body string }{
		{"data:,A%20brief%20note", defaultType, "A brief note"},                                           // RFC 2397 section 4
		{"data:text/plain;charset=iso-8859-7,%be%fa%be", "text/plain;charset=iso-8859-7", "\xbe\xfa\xbe"}, // RFC 2397 section 4
		{"data:image/gif;base64,R0lGODdh", "image/gif", "GIF87a"},
		{"data:;charset=utf-8,caf%C3%A9", "text/plain;charset=utf-8", "café"},
		{"data:,", defaultType, ""},
		{"data:;base64,", defaultType, ""},
		{"DATA:;BASE64,aGk", defaultType, "hi"},
		{"data:;base64,aGk%3D", defaultType, "hi"},
		{"data:;base64,aG%20k%0D%0A=", defaultType, "hi"},
		{"data:text/plain,a?b,c", "text/plain", "a?b,c"}, // the query and further commas are data
		{"data:text/plain,a#b", "text/plain", "a"},       // a fragment is not
		{"data:text/plain,a+b%2Cc%00", "text/plain", "a+b,c\x00"},
		{"data:base64,aGk", defaultType, "aGk"}, // without a semicolon it is a bad type
		{"data:nonsense,x", defaultType, "x"},
		{"data:text/plain%0D%0AX:%20y,x", defaultType, "x"}, // a type does not result in another header line
		{"data:application/vnd-xxx-query,select_vcount,fcol_from_fieldtable/local", "application/vnd-xxx-query",
			"select_vcount,fcol_from_fieldtable/local"}, // RFC 2397 section 4
	} {
		d, body, err := get(t, tt.in, nil)
		if err != nil {
			t.Errorf("%s: got %v, want no error", tt.in, err)
			continue
		}
		if d.Type != tt.typ || body != tt.body || d.Size != int64(len(tt.body)) || d.End != fetch.EndDeclared {
			t.Errorf("%s: got %q %q %d %s, want %q %q %d %s", tt.in, d.Type, body, d.Size, d.End, tt.typ, tt.body, len(tt.body), fetch.EndDeclared)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, in := range []string{
		"data:", "data:text/plain", "data:;base64", "data:;base64,a", "data:;base64,a===", "data:;base64,aGk!", "data:;base64,aG-_", "data://h/x",
	} {
		if _, _, err := get(t, in, nil); !errors.Is(err, fetch.ErrRefusedURL) {
			t.Errorf("%s: got %v, want %s", in, err, fetch.ErrRefusedURL)
		}
	}
}

func TestRanges(t *testing.T) {
	for _, tt := range []struct {
		r    fetch.Range
		want string
	}{{fetch.Range{From: 2}, "cdef"}, {fetch.Range{From: 1, To: 3}, "bc"}, {fetch.Range{From: -2}, "ef"}, {fetch.Range{From: 6}, ""}} {
		d, body, err := get(t, "data:,abcdef", &fetch.Options{Range: tt.r})
		if err != nil || body != tt.want || d.Size != 6 {
			t.Errorf("%v: got %q, %v, want %q", tt.r, body, err, tt.want)
		}
	}
	if _, _, err := get(t, "data:,abcdef", &fetch.Options{Range: fetch.Range{From: 7}}); !errors.Is(err, fetch.ErrRange) {
		t.Errorf("after the end: got %v, want %s", err, fetch.ErrRange)
	}
	if d, body, err := get(t, "data:,abcdef", &fetch.Options{Op: fetch.Metadata}); err != nil || body != "" || d.Size != 6 {
		t.Errorf("metadata: got %q, %v, %+v, want no body and size 6", body, err, d)
	}
}

// TestPage checks that the table of outcomes is documented.
func TestPage(t *testing.T) { schemetest.Page(t, outcomes, Scheme()) }

// FuzzBase64 checks that decode is the inverse of encoding.
func FuzzBase64(f *testing.F) {
	f.Add([]byte("hello\x00\xff"))
	f.Fuzz(func(t *testing.T, p []byte) {
		s := base64.StdEncoding.EncodeToString(p)
		for _, s := range []string{s, base64.RawStdEncoding.EncodeToString(p), " " + s + "\r\n"} {
			if got, err := decode(s); err != nil || string(got) != string(p) {
				t.Fatalf("%q: got %q, %v, want %q", s, got, err, p)
			}
		}
	})
}

// FuzzRead checks that any URI is refused or has a type that is safe in a header.
func FuzzRead(f *testing.F) {
	f.Add("data:text/plain;a=b;base64,aGk=")
	f.Add("data:;,")
	f.Fuzz(func(t *testing.T, s string) {
		u, err := uri.Parse("data:" + s)
		if err != nil {
			return
		}
		if r, err := parse(u); err == nil && !isType(r.Type) {
			t.Fatalf("%q: got type %q, want a valid one", s, r.Type)
		}
	})
}
