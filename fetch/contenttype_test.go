package fetch_test

import (
	"net/textproto"
	"testing"

	"example.org/deref/fetch"
)

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
