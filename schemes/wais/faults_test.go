package wais

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/wais/waistest"
	"example.org/deref/uri"
)

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name string
		f    waistest.Faults
		kind fetch.Kind
	}{
		{"noise", waistest.Faults{Noise: "Connected.\r\n"}, ""},
		{"drops", waistest.Faults{Chunk: 1}, ""},
		{"a void frame", waistest.Faults{Void: true}, fetch.ErrProtocol},
		{"compressed", waistest.Faults{Compression: 'u'}, fetch.ErrProtocol},
		{"encoded", waistest.Faults{Encoding: 'h'}, fetch.ErrProtocol},
		{"no APDU", waistest.Faults{Raw: "x"}, fetch.ErrProtocol},
		{"an APDU of another kind", waistest.Faults{Raw: "\x00\x02\x15\x01"}, fetch.ErrProtocol},
		{"endless noise", waistest.Faults{Noise: strings.Repeat("x", 100)}, fetch.ErrProtocol},
		{"cut", waistest.Faults{CutAfter: 30}, fetch.ErrTruncated},
		{"broken", waistest.Faults{CutAfter: 30, Reset: true}, fetch.ErrTruncated},
	} {
		srv := start(t, &waistest.Options{Faults: &c.f})
		for _, path := range []string{"/site?chart", "/site/TEXT/tides.txt", "/site"} {
			for _, init := range []string{"", "yes"} {
				if _, _, err := get(t, srv.URL+path, set(setInit, init)); fetch.KindOf(err) != c.kind {
					t.Errorf("%s, %s: got %v, want kind %s", c.name, path, err, c.kind)
				}
			}
		}
	}
	srv := waistest.NewServer(files(), nil)
	defer srv.Close()
	if _, _, err := get(t, srv.URL+"/nosuch/TEXT/tides.txt", nil); fetch.KindOf(err) != fetch.ErrConnection { // freeWAIS crashes
		t.Errorf("a missing database: got %v, want kind %s", err, fetch.ErrConnection)
	}
	if _, _, err := get(t, srv.URL+"/nosuch?x", nil); fetch.KindOf(err) != fetch.ErrNotFound {
		t.Errorf("a search of a missing database: got %v, want kind %s", err, fetch.ErrNotFound)
	}
}

// TestSmallFrames: the frame size negotiated by Init applies to the chunks.
func TestSmallFrames(t *testing.T) {
	srv := start(t, &waistest.Options{Size: 1000})
	whole := string(files()["long.txt"].Data)
	if _, body, err := get(t, srv.URL+"/site/TEXT/long.txt", set(setInit, "yes")); body != whole || err != nil {
		t.Errorf("got %d bytes, %v, want %d", len(body), err, len(whole))
	}
	if _, _, err := get(t, srv.URL+"/site/TEXT/long.txt", nil); fetch.KindOf(err) != fetch.ErrProtocol { // less than any old client requests
		t.Errorf("without init: got %v, want kind %s", err, fetch.ErrProtocol)
	}
}

// TestChunks: each frame takes a round trip, so 5 MiB must take few frames. A
// server with a smaller buffer sends an empty frame, and then gets requests for less.
func TestChunks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ size, length, most int }{{100000, 1 << 20, 11}, {30000, 200 << 10, 22}} {
		long := strings.Repeat("0123456789abcde\n", c.length/16)
		srv := waistest.NewServer(fstest.MapFS{"long.txt": {Data: []byte(long)}}, &waistest.Options{Size: c.size})
		for _, path := range []string{"/site/TEXT/long.txt", fmt.Sprintf("/site/TEXT/%d/2=site;3=long.txt;", c.length), "/site/TEXT/30001/2=site;3=long.txt;"} {
			before := len(srv.Transcript())
			want := long
			if strings.Contains(path, "/30001/") {
				want = long[:30001]
			}
			_, body, err := get(t, srv.URL+path, nil)
			if err != nil || body != want {
				t.Errorf("frames of %d, %s: got %d bytes, %v, want %d", c.size, path, len(body), err, len(want))
			}
			if n := len(srv.Transcript()) - before; n > c.most {
				t.Errorf("frames of %d, %s: got %d requests, want at most %d", c.size, path, n, c.most)
			}
		}
		srv.Close()
	}
}

// TestHalves: a server may send header and APDU in separate packets.
func TestHalves(t *testing.T) {
	srv := start(t, &waistest.Options{Faults: &waistest.Faults{Halves: true}})
	if _, body, err := get(t, srv.URL+"/site/TEXT/long.txt", nil); err != nil || body != string(files()["long.txt"].Data) {
		t.Errorf("got %d bytes, %v", len(body), err)
	}
}

// TestMissingDatabase checks that the error says only that the database is missing.
func TestMissingDatabase(t *testing.T) {
	srv := start(t, nil)
	for _, path := range []string{"/nosuch", "/nosuch?%3F", "/nosuch?*", "/nosuch?%3Ftide", "/nosuch?tide", "/nosuch?subject=x"} {
		_, _, err := get(t, srv.URL+path, nil)
		if fetch.KindOf(err) != fetch.ErrNotFound || !strings.Contains(err.Error(), "The following database is not available: nosuch") ||
			strings.Contains(err.Error(), "syntax") {
			t.Errorf("%s: got %v, want that the database is not available", path, err)
		}
	}
	for _, path := range []string{"/site", "/site?%3F", "/site?*"} { // the description is a response; the error about the word "?" is ignored
		d, body, err := get(t, srv.URL+path, nil)
		if err != nil || body == "" || d.Header.Get("Diagnostic") != "" {
			t.Errorf("%s: got %q, diagnostic %q, %v", path, body, d.Header.Get("Diagnostic"), err)
		}
	}
	if _, _, err := get(t, srv.URL+"/site?%21", nil); fetch.KindOf(err) != fetch.ErrRefused { // the catalogue is not a response to it
		t.Errorf("got %v, want %s", err, fetch.ErrRefused)
	}
}

// TestFields: a field that does not exist in the database is an error in the query, not a failure of the server.
func TestFields(t *testing.T) {
	srv := start(t, &waistest.Options{Databases: []waistest.Database{{Name: "news", Root: "news", Fields: []string{"subject"}}}})
	if found := list(t, srv.URL+"/news?subject%3Dmooring", nil); len(found) != 1 {
		t.Errorf("got %+v, want one", found)
	}
	for _, path := range []string{"/news?author%3Dmooring", "/news?rings+and+author%3D(a+b)", "/news?py%3E1990"} {
		if _, _, err := get(t, srv.URL+path, nil); fetch.KindOf(err) != fetch.ErrNotFound || !strings.Contains(err.Error(), "bad query") {
			t.Errorf("%s: got %v, want notfound: a bad query", path, err)
		}
	}
	if _, body, err := get(t, srv.URL+"/news", nil); err != nil || !strings.Contains(body, ":name \"subject\"") {
		t.Errorf("got %q, %v, want a description with the field", body, err)
	}
}

// TestOneConnection checks that requests share a connection unless a document was only partly read.
func TestOneConnection(t *testing.T) {
	srv := start(t, nil)
	c := fetch.New(Scheme())
	defer c.Close()
	visit := func(path string, whole bool) {
		d, err := c.Get(t.Context(), uri.MustParse(srv.URL+path), nil)
		if err != nil {
			if fetch.KindOf(err) != fetch.ErrNotFound {
				t.Errorf("got %v, want kind %s", err, fetch.ErrNotFound)
			}
			return
		}
		if whole {
			io.Copy(io.Discard, d.Body)
		}
		d.Body.Close()
	}
	for _, path := range []string{"/site?tide*", "/site", "/site/TEXT/long.txt", "/site/TEXT/none", "/nosuch?x", "/INFO?folder",
		"/site/TEXT/tides.txt"} {
		visit(path, true)
	}
	if n := srv.Sessions(); n != 1 {
		t.Errorf("got %d connections, want 1", n)
	}
	visit("/site/TEXT/long.txt", false)
	visit("/site/TEXT/tides.txt", true)
	if n := srv.Sessions(); n != 2 {
		t.Errorf("got %d connections, want 2", n)
	}
}

func TestRefusals(t *testing.T) {
	for code, want := range map[string][2]fetch.Kind{
		"S1 The following database is not available: x": {fetch.ErrNotFound, fetch.ErrNotFound},
		"S1 query syntax error: x":                      {fetch.ErrRefused, fetch.ErrRefused},
		"S1 system error":                               {fetch.ErrUnavailable, fetch.ErrTransfer},
		"SG presenting":                                 {fetch.ErrUnavailable, fetch.ErrTransfer},
		"S2 later":                                      {fetch.ErrUnavailable, fetch.ErrUnavailable},
		"SV locked":                                     {fetch.ErrUnavailable, fetch.ErrUnavailable},
		"SF Missing DocID in request":                   {fetch.ErrNotFound, fetch.ErrNotFound},
		"S3 x":                                          {fetch.ErrRefused, fetch.ErrRefused},
		"S5 stop words":                                 {fetch.ErrRefused, fetch.ErrRefused}, "S6 x": {fetch.ErrRefused, fetch.ErrRefused},
		"SD x":              {fetch.ErrRefused, fetch.ErrRefused},
		"SH not authorized": {fetch.ErrRefused, fetch.ErrRefused}, "T2 x": {fetch.ErrRefused, fetch.ErrRefused},
		"SI x":       {fetch.ErrRefused, fetch.ErrRefused},
		"?? \x1b[2J": {fetch.ErrRefused, fetch.ErrRefused},
	} {
		for i, begun := range []bool{false, true} {
			err := refusal(diagnostic(code[:2], code[3:]), begun)
			if fetch.KindOf(err) != want[i] || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("%s: got %v, want kind %s", code, err, want[i])
			}
		}
	}
}
