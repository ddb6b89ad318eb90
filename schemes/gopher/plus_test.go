package gopher

import (
	"crypto/tls"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/uri"
)

func TestHeads(t *testing.T) {
	for _, tt := range []struct {
		line string
		want plusHead
		ok   bool
	}{
		{"+66", plusHead{false, 66}, true},
		{"+0\r", plusHead{false, 0}, true},
		{"+-1", plusHead{false, endsWithDot}, true},
		{"+-2 ", plusHead{false, endsWithClose}, true},
		{"--1", plusHead{true, endsWithDot}, true},
		{"-12", plusHead{true, 12}, true},
		{"+", plusHead{}, false},
		{"", plusHead{}, false},
		{"+-3", plusHead{}, false},
		{"++1", plusHead{}, false},
		{"+12a", plusHead{}, false},
		{"+99999999999999999999", plusHead{}, false},
		{"1. a list", plusHead{}, false},
		{"+ a plus", plusHead{}, false},
	} {
		if h, ok := parseHead(tt.line); ok != tt.ok || ok && h != tt.want {
			t.Errorf("%q: got %+v, %v, want %+v, %v", tt.line, h, ok, tt.want, tt.ok)
		}
	}
}

// serveRaw serves raw responses by selector.
func serveRaw(t *testing.T, by map[string]string) *loopback.Server {
	return serve(t, &gophertest.Options{Faults: &gophertest.Faults{Reply: by}})
}

func TestForms(t *testing.T) {
	for _, tt := range []struct {
		name, reply, body string
		end               fetch.End
		kind              fetch.Kind
	}{
		{"length", "+5\r\nabc\r\n", "abc\r\n", fetch.EndDeclared, ""},
		{"length 0", "+0\r\n", "", fetch.EndDeclared, ""},
		{"more than the length", "+3\r\nabcdef", "abc", fetch.EndDeclared, ""},
		{"less than the length", "+9\r\nabc\r\n", "", "", fetch.ErrTruncated},
		{"the largest length", "+9223372036854775807\r\nabc", "", "", fetch.ErrTruncated},
		{"dot", "+-1\r\na\r\n..b\r\n.\r\nafter", "a\r\n.b\r\n", fetch.EndTerminated, ""},
		{"dot missing", "+-1\r\na\r\n", "", "", fetch.ErrTruncated},
		{"nothing before the dot", "+-1\r\n.\r\n", "", fetch.EndTerminated, ""},
		{"long line with a dot", "+-1\r\n." + strings.Repeat(".", 9000) + "\r\n.\r\n", strings.Repeat(".", 9000) + "\r\n", fetch.EndTerminated,
			""},
		{"close", "+-2\r\na\r\n..b\r\n.\r\n", "a\r\n..b\r\n.\r\n", fetch.EndClosed, ""},
		{"plain", "a\r\n..b\r\n.\r\n", "a\r\n.b\r\n", fetch.EndTerminated, ""},
		{"plain, and begins like a head", "+5 degrees\r\n", "+5 degrees\r\n", fetch.EndClosed, ""},
		{"nothing at all", "", "", "", fetch.ErrTruncated},
		{"not available", "--1\r\n1 Keeper <k@h>\r\nno such thing\r\n.\r\n", "", "", fetch.ErrNotFound},
		{"try later", "--2\r\n2 Keeper <k@h>\r\nbusy\r\n", "", "", fetch.ErrUnavailable},
		{"moved nowhere", "--2\r\n3 Keeper <k@h>\r\nfar away\r\n", "", "", fetch.ErrNotFound},
		{"another code", "--2\r\n7 Keeper <k@h>\r\nno\r\n", "", "", fetch.ErrRefused},
		{"an error cut short", "--1\r\n1 Keeper", "", "", fetch.ErrNotFound},
	} {
		srv := serveRaw(t, map[string]string{"/x": tt.reply})
		for name, read := range map[string]func(d *fetch.Document, w io.Writer) error{
			"Read": func(d *fetch.Document, w io.Writer) error {
				_, err := io.Copy(w, struct{ io.Reader }{d.Body})
				return err
			},
			"WriteTo": func(d *fetch.Document, w io.Writer) error { _, err := io.Copy(w, d.Body); return err },
		} {
			var body strings.Builder
			d, err := client().Get(t.Context(), uri.MustParse(srv.URL+"/0/x%09%09+"), nil)
			if err == nil {
				err = read(d, &body)
				d.Body.Close()
			}
			if fetch.KindOf(err) != tt.kind || err == nil && (body.String() != tt.body || d.End != tt.end) {
				t.Errorf("%s, %s: got %q, %v, %+v, want %q, kind %q, end %q", tt.name, name, body.String(), err, d, tt.body, tt.kind, tt.end)
			}
		}
	}
}

// TestMoved: an item that has moved is requested at its new place, for its attributes and views, too, and by TLS if that is on the same server.
func TestMoved(t *testing.T) {
	for _, secure := range []bool{false, true} {
		by := map[string]string{"/new": "here\r\n"}
		srv := serve(t, &gophertest.Options{SelfSigned: secure, Faults: &gophertest.Faults{Reply: by}})
		host, port, _ := strings.Cut(srv.Addr, ":")
		by["/x"] = "--1\r\n3 Keeper <k@h>\r\n+INFO: 0New\t/new\t" + host + "\t" + port + "\r\n.\r\n"
		by["/x?"] = by["/x"]
		c := client()
		c.TLS = &tls.Config{RootCAs: srv.Roots()}
		for path, o := range map[string]*fetch.Options{"/0/x%09%09+": nil, "/0/x": {Op: fetch.Metadata}, "/0/x?": {Accept: []string{"text/html"}}} {
			d, _, err := fetchtest.GetWith(t, c, srv.URL+path, o)
			if err != nil || d.URI.String() != srv.URL+"/0/new" || len(d.Via) != 1 {
				t.Errorf("%s: got %+v, %v, want %s/0/new", path, d, err, srv.URL)
			}
		}
	}
}

func TestAttributes(t *testing.T) {
	for end, name := range map[int]string{0: "usual", 1: "counted", -1: "dot", -2: "close"} {
		srv := serve(t, &gophertest.Options{Plus: true, PlusEnd: end})
		d, _, err := get(t, srv.URL+"/0/views/x.txt", &fetch.Options{Op: fetch.Metadata})
		if err != nil || d.Header.Get("Admin") == "" || d.Modified.IsZero() || len(d.Header["Views"]) != 3 || d.Type != "text/plain" {
			t.Errorf("%s: got %v, %+v, want Admin, Mod-Date, three views and text/plain", name, err, d)
		}
		d, body, err := get(t, srv.URL+"/0/views/x.txt%09%09!", nil)
		if err != nil || !strings.HasPrefix(body, "+INFO: 0x.txt\t/views/x.txt\t") || d.Type != plusMenuType {
			t.Errorf("%s: got %q, %v, type %s, want the attributes of x.txt", name, body, err, d.Type)
		}
	}
}

func TestAttributesOfDirectories(t *testing.T) {
	srv := serve(t, &gophertest.Options{Plus: true})
	n := 0
	for e, err := range client().Entries(t.Context(), uri.MustParse(srv.URL+"/1/views%09%09$"), nil) {
		if err != nil || len(e.Attr["views"]) == 0 || e.Modified.IsZero() {
			t.Errorf("got %+v, %v, want views and a date", e, err)
		}
		n++
	}
	if n != 3 {
		t.Errorf("got %d entries, want 3", n)
	}
}

func TestAttributesOfPlainServers(t *testing.T) {
	srv := serveRaw(t, map[string]string{"/a": "the document\r\n", "/b": "3not there\t\terror.host\t1\r\n.\r\n", "/c": ""})
	for sel, want := range map[string]fetch.Kind{"/a": "", "/b": fetch.ErrNotFound, "/c": fetch.ErrTruncated} {
		d, body, err := get(t, srv.URL+"/0"+sel, &fetch.Options{Op: fetch.Metadata})
		if fetch.KindOf(err) != want || body != "" || want == "" && (d.Type != "text/plain" || len(d.Header) != 0) {
			t.Errorf("%s: got %q, %v, %+v, want kind %q, no body and no attributes", sel, body, err, d, want)
		}
	}
	if _, _, err := get(t, srv.URL+"/0/a%09%09!", nil); !errors.Is(err, fetch.ErrProtocol) {
		t.Errorf("attributes requested by the URI: got %v, want %s", err, fetch.ErrProtocol)
	}
}

func TestViews(t *testing.T) {
	srv := serve(t, &gophertest.Options{Plus: true})
	for _, tt := range []struct {
		accept            []string
		body, typ, reason string
	}{
		{[]string{"text/html"}, "<p>html\n", "text/html", "Gopher+ view text/html"},
		{[]string{"image/gif", "TEXT/HTML;q=0.5"}, "<p>html\n", "text/html", "Gopher+ view text/html"},
		{[]string{"text/plain de"}, "deutsch\n", "text/plain", "Gopher+ view text/plain De_DE"},
		{[]string{"*/* De_DE"}, "deutsch\n", "text/plain", "Gopher+ view text/plain De_DE"},
		{[]string{"text/*"}, "plain\n", "text/plain", "Gopher+ view text/plain"}, // the server's first view
		{[]string{"image/gif"}, "plain\n", "text/plain", "item type 0"},          // not available
		{[]string{"*/*"}, "plain\n", "text/plain", "item type 0"},
		{nil, "plain\n", "text/plain", "item type 0"},
	} {
		d, body, err := get(t, srv.URL+"/0/views/x.txt", &fetch.Options{Accept: tt.accept})
		if err != nil || strings.ReplaceAll(body, "\r\n", "\n") != tt.body || d.Type != tt.typ || d.TypeReason != tt.reason {
			t.Errorf("%q: got %q, %v, %+v, want %q, %s (%s)", tt.accept, body, err, d, tt.body, tt.typ, tt.reason)
		}
	}
	if _, _, err := get(t, srv.URL+"/0/missing", &fetch.Options{Accept: []string{"text/html"}}); !errors.Is(err, fetch.ErrNotFound) {
		t.Errorf("missing: got %v, want %s", err, fetch.ErrNotFound)
	}
	for path, accept := range map[string][]string{"/0/views/x.txt%09%09+text/html": nil, "/0/v/%3Cview%3E.txt": {"text/html"}} {
		d, body, err := get(t, srv.URL+path, &fetch.Options{Accept: accept})
		if err != nil || !strings.HasPrefix(body, "<p>html") || d.Type != "text/html" {
			t.Errorf("%s: got %q, %v, %+v, want the page", path, body, err, d)
		}
	}
}

// TestViewsOfPlainServers checks a server without Gopher+, which responds to a request for views with the item or an error.
func TestViewsOfPlainServers(t *testing.T) {
	srv := serve(t, nil)
	d, body, err := get(t, srv.URL+"/0/views/x.txt", &fetch.Options{Accept: []string{"text/html"}})
	if err != nil || body != "plain\r\n" || d.Type != "text/plain" || srv.Sessions() != 2 {
		t.Errorf("got %q, %v, %d connections, want %q and 2 connections", body, err, srv.Sessions(), "plain\r\n")
	}
	if _, _, err := get(t, srv.URL+"/0/missing", &fetch.Options{Accept: []string{"text/html"}}); !errors.Is(err, fetch.ErrNotFound) {
		t.Errorf("missing: got %v, want %s", err, fetch.ErrNotFound)
	}
}

func TestAnswersToForms(t *testing.T) {
	fsys := fstest.MapFS{"f.ask": {Data: []byte("Ask: Name?\nAskL: Text?\nSelect: Copy?\n\n$1 said:\n$2\n($3)\n")}}
	srv := gophertest.NewServer(fsys, &gophertest.Options{Plus: true})
	defer srv.Close()
	set := map[string][]string{dataKey: {"Joe", "one\n.two", "1"}}
	for _, plus := range []string{"", "%09%09"} {
		_, body, err := get(t, srv.URL+"/0/f.ask"+plus, &fetch.Options{Set: set})
		if want := "Joe said:\r\none\r\n.two\r\n(1)\r\n"; err != nil || body != want {
			t.Errorf("got %q, %v, want %q", body, err, want)
		}
	}
	_, body, err := get(t, srv.URL+"/0/f.ask%09%09+%091%0D%0A+-1%0D%0AJoe%0D%0A1%0D%0Ahi%0D%0A0%0D%0A.%0D%0A", nil)
	if want := "Joe said:\r\nhi\r\n(0)\r\n"; err != nil || body != want {
		t.Errorf("in the URI: got %q, %v, want %q", body, err, want)
	}
	d, _, err := get(t, srv.URL+"/0/f.ask", &fetch.Options{Op: fetch.Metadata})
	if want := "Ask: Name?|AskL: Text?|Select: Copy?"; err != nil || strings.Join(d.Header["Ask"], "|") != want {
		t.Errorf("questions: got %v, %+v, want %q", err, d, want)
	}
}

func TestHeaderNamesOfAttributes(t *testing.T) {
	srv := serveRaw(t, map[string]string{"/x": "+-2\r\n+INFO: 0x\t/x\th\t70\r\n+BAD NAME: x\r\n+: y\r\n+SCORE: 7\r\n"})
	d, _, err := get(t, srv.URL+"/0/x", &fetch.Options{Op: fetch.Metadata})
	if err != nil || len(d.Header) != 1 || d.Header.Get("Score") != "7" {
		t.Errorf("got %v, %+v, want only Score: 7", err, d)
	}
	for _, line := range []string{" x\r\n", "\r\n"} {
		srv := serveRaw(t, map[string]string{"/x": "+-2\r\n+INFO: 0x\t/x\th\t70\r\n" + strings.Repeat(line, maxAttributes)})
		if _, _, err := get(t, srv.URL+"/0/x", &fetch.Options{Op: fetch.Metadata}); !errors.Is(err, fetch.ErrLimit) {
			t.Errorf("%d lines %q: got %v, want %s", maxAttributes, line, err, fetch.ErrLimit)
		}
	}
}

// FuzzResponse checks that no response makes its reader panic or return more than it contains.
func FuzzResponse(f *testing.F) {
	f.Add("+5\r\nabc\r\n")
	f.Add("+-1\r\n..a\r\n.\r\n")
	f.Fuzz(func(t *testing.T, s string) {
		h, ok, more := findHead([]byte(s))
		if ok && more {
			t.Fatalf("%q: got a head and more, want one of them", s)
		}
		if !ok {
			return
		}
		_, rest, _ := strings.Cut(s, "\n")
		d := fetch.NewDocument(nil)
		setBody(d, io.NopCloser(strings.NewReader(rest)), h)
		b, err := io.ReadAll(d.Body)
		if len(b) >= len(s) || err == nil && d.Size >= 0 && d.Size != int64(len(b)) {
			t.Fatalf("%q: got %q, %v, size %d, want less than the response", s, b, err, d.Size)
		}
	})
}
