package portal_test

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/portal"
	"example.org/deref/uri"
)

func TestSuspect(t *testing.T) {
	const html = "text/html"
	for _, tt := range []struct {
		asked, typ, had string
		status          int
		via             string // the reason of a redirect, "" none
		final           string
		want            string
	}{
		{asked: "http://h.example/a.zip", typ: html, want: "got a web page for a name that ends in .zip"},
		{asked: "http://h.example/a.tar.GZ", typ: "text/html; charset=utf-8", want: "got a web page for a name that ends in .gz"},
		{asked: "http://h.example/a.pdf?v=1", typ: "application/xhtml+xml", want: "got a web page for a name that ends in .pdf"},
		{asked: "http://h.example/a.zip", typ: html, via: "302 Found", final: "http://portal.example/login",
			want: "got a web page for a name that ends in .zip"},
		{asked: "http://h.example/a.html", typ: html, via: "302 Found", final: "http://portal.test/login",
			want: "the page comes from another host, portal.test"},
		{asked: "http://192.0.2.1/a.html", typ: html, via: "307 Temporary Redirect", final: "http://192.0.2.2/",
			want: "the page comes from another host, 192.0.2.2"},
		{asked: "http://h.example/get", typ: html, had: "application/zip", want: "got a web page in place of application/zip"},
		{asked: "http://h.example/get", typ: html, had: html, via: "302 Found", final: "http://portal.test/",
			want: "the page comes from another host, portal.test"},

		{asked: "http://h.example/download/x.zip", typ: "application/zip", via: "302 Found", final: "https://cdn.test/x"},
		{asked: "http://h.example/a.zip", typ: html, status: 511},
		{asked: "http://h.example/a.html", typ: html},
		{asked: "http://h.example/a.html", typ: html, via: "302 Found", final: "https://www.h.example/a.html"},
		{asked: "http://www.h.example/a.html", typ: html, via: "302 Found", final: "https://h.example/a.html"},
		{asked: "http://old.test/a.html", typ: html, via: "301 Moved Permanently", final: "https://new.example/a.html"},
		{asked: "http://h.example/", typ: html, via: "302 Found", final: "http://portal.test/"},
		{asked: "http://h.example/10.1000/182", typ: html, via: "302 Found", final: "https://publisher.test/182"},
		{asked: "http://h.example/a.php", typ: html, via: "302 Found", final: "http://other.test/"},
		{asked: "http://h.example/a.cgi", typ: html},
		{asked: "http://h.example/README.md", typ: html},
		{asked: "http://h.example/get", typ: html, had: html},
		{asked: "https://en.wiki.example/wiki/File:Example.jpg", typ: html},
		{asked: "https://forge.example/go/blob/master/favicon.ico", typ: html},
		{asked: "ftp://h.example/a.zip", typ: html, status: -1},
	} {
		d := fetch.NewDocument(nil)
		d.URI, d.Type, d.Status = uri.MustParse(tt.asked), tt.typ, 200
		if tt.status != 0 {
			d.Status = max(0, tt.status)
		}
		if tt.final != "" {
			d.URI = uri.MustParse(tt.final)
			d.Via = []fetch.Referral{{URI: d.URI, Reason: tt.via}}
		}
		if got := portal.Suspect(uri.MustParse(tt.asked), d, tt.had); got != tt.want {
			t.Errorf("%s, %s (had %q, %s %s): got %q, want %q", tt.asked, tt.typ, tt.had, tt.via, tt.final, got, tt.want)
		}
	}
	if got := portal.Suspect(uri.MustParse("http://h.example/a.zip"), nil, ""); got != "" {
		t.Errorf("without a document: got %q, want empty", got)
	}
}
