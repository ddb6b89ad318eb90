package wais

import (
	"io"
	"strings"
	"testing"

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
					t.Errorf("%s, %s: %v", c.name, path, err)
				}
			}
		}
	}
	srv := waistest.NewServer(files(), nil)
	defer srv.Close()
	if _, _, err := get(t, srv.URL+"/nosuch/TEXT/tides.txt", nil); fetch.KindOf(err) != fetch.ErrConnection { // freeWAIS crashes
		t.Errorf("%v", err)
	}
	if _, _, err := get(t, srv.URL+"/nosuch?x", nil); fetch.KindOf(err) != fetch.ErrNotFound {
		t.Errorf("%v", err)
	}
}

// TestSmallFrames: what Init agrees upon holds for the chunks.
func TestSmallFrames(t *testing.T) {
	srv := start(t, &waistest.Options{Size: 1000})
	whole := string(files()["long.txt"].Data)
	if _, body, err := get(t, srv.URL+"/site/TEXT/long.txt", set(setInit, "yes")); body != whole || err != nil {
		t.Errorf("%d octets, %v", len(body), err)
	}
	if _, _, err := get(t, srv.URL+"/site/TEXT/long.txt", nil); fetch.KindOf(err) != fetch.ErrProtocol {
		t.Errorf("%v", err)
	}
}

// TestOneConnection: requests share a connection while conversations end well, and none where one was left in the midst.
func TestOneConnection(t *testing.T) {
	srv := start(t, nil)
	c := fetch.New(Scheme())
	defer c.Close()
	visit := func(path string, whole bool) {
		d, err := c.Get(t.Context(), uri.MustParse(srv.URL+path), nil)
		if err != nil {
			if fetch.KindOf(err) != fetch.ErrNotFound {
				t.Error(err)
			}
			return
		}
		if whole {
			io.Copy(io.Discard, d.Body)
		}
		d.Body.Close()
	}
	for _, path := range []string{"/site?tide*", "/site", "/site/TEXT/long.txt", "/site/TEXT/none", "/nosuch?x", "/INFO?folder", "/site/TEXT/tides.txt"} {
		visit(path, true)
	}
	if n := srv.Sessions(); n != 1 {
		t.Errorf("%d connections", n)
	}
	visit("/site/TEXT/long.txt", false)
	visit("/site/TEXT/tides.txt", true)
	if n := srv.Sessions(); n != 2 {
		t.Errorf("%d connections", n)
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
		"S5 stop words":                                 {fetch.ErrRefused, fetch.ErrRefused}, "S6 x": {fetch.ErrRefused, fetch.ErrRefused}, "SD x": {fetch.ErrRefused, fetch.ErrRefused},
		"SH not authorized": {fetch.ErrRefused, fetch.ErrRefused}, "T2 x": {fetch.ErrRefused, fetch.ErrRefused}, "SI x": {fetch.ErrRefused, fetch.ErrRefused},
		"?? \x1b[2J": {fetch.ErrRefused, fetch.ErrRefused},
	} {
		for i, begun := range []bool{false, true} {
			err := refusal(diagnostic(code[:2], code[3:]), begun)
			if fetch.KindOf(err) != want[i] || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("%s: %v is %s", code, err, fetch.KindOf(err))
			}
		}
	}
}
