package schemes_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/refer"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/uri"
)

// An entry states the unit to which its time is known, and whether its zone is, also in JSON and after it.
func TestEntriesStateTheirPrecision(t *testing.T) {
	old, recent := time.Date(1994, 12, 20, 10, 11, 12, 0, time.UTC), time.Now().Add(-30*24*time.Hour).UTC()
	site := fstest.MapFS{"old.txt": {Data: []byte("wide"), ModTime: old}, "new.txt": {Data: []byte("wide"), ModTime: recent}}
	mlsd, list := ftptest.NewServer(site, nil), ftptest.NewServer(site, &ftptest.Options{NoMLSD: true})
	gopher := gophertest.NewServer(site, &gophertest.Options{Plus: true})
	defer mlsd.Close()
	defer list.Close()
	defer gopher.Close()
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	for _, tt := range []struct{ uri, title, want string }{
		{mlsd.URL + "/", "old.txt", `"precision":"second"`},
		{list.URL + "/", "old.txt", `"precision":"day","zone":"unknown"`},
		{list.URL + "/", "new.txt", `"precision":"minute","zone":"unknown"`},
		{gopher.URL + "/1%09%09$", "old.txt", `"precision":"second","zone":"unknown"`},
	} {
		found := false
		for e, err := range c.Entries(t.Context(), uri.MustParse(tt.uri), nil) {
			if err != nil {
				t.Fatalf("%s: %v", tt.uri, err)
			}
			if !strings.HasPrefix(e.Title, strings.TrimSuffix(tt.title, ".txt")) {
				continue
			}
			found = true
			b, err := json.Marshal(e)
			if err != nil || !strings.Contains(string(b), tt.want) || strings.Contains(string(b), `"zone"`) != strings.Contains(tt.want, `"zone"`) {
				t.Errorf("%s: got %s, %v, want %s", tt.uri, b, err, tt.want)
			}
			var again fetch.Entry
			if err := json.Unmarshal(b, &again); err != nil || again.Precision != e.Precision || again.ZoneUnknown != e.ZoneUnknown {
				t.Errorf("%s: got %s %t, %v, want %s %t", tt.uri, again.Precision, again.ZoneUnknown, err, e.Precision, e.ZoneUnknown)
			}
		}
		if !found {
			t.Errorf("%s: got no entry %s, want one", tt.uri, tt.title)
		}
	}
}

// A document states the precision of its time as an entry does, also after a capture.
func TestDocumentsStateTheirPrecision(t *testing.T) {
	at := time.Date(1994, 12, 20, 10, 11, 12, 0, time.UTC)
	site := fstest.MapFS{"old.txt": {Data: []byte("wide"), ModTime: at}}
	ftp, gopher := ftptest.NewServer(site, nil), gophertest.NewServer(site, &gophertest.Options{Plus: true})
	web := httptest.NewServer(http.FileServerFS(site))
	bare := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for _, end := range []func(){ftp.Close, gopher.Close, web.Close, bare.Close} {
		defer end()
	}
	for uri, want := range map[string]string{
		web.URL + "/old.txt":     `"modified":"1994-12-20T10:11:12Z","precision":"second"`,
		ftp.URL + "/old.txt":     `"modified":"1994-12-20T10:11:12Z","precision":"second"`,
		gopher.URL + "/0old.txt": `"modified":"1994-12-20T10:11:12Z","precision":"second","zone":"unknown"`,
		bare.URL + "/":           ``,
		"data:,x":                ``,
	} {
		name := filepath.Join(t.TempDir(), "a.warc")
		for _, replay := range []bool{false, true} {
			got := infoOf(t, uri, name, replay)
			if !strings.Contains(got, want) || strings.Contains(got, `"zone"`) != strings.Contains(want, `"zone"`) ||
				want == "" && strings.Contains(got, `"precision"`) {
				t.Errorf("%s, replayed %t: got %s, want %s", uri, replay, got, want)
			}
		}
	}
}

// infoOf dereferences a URI and writes a capture, or reads that. It returns the JSON that describes the document.
func infoOf(t *testing.T, u, name string, replay bool) string {
	t.Helper()
	list := schemes.All(nil)
	var w *warc.Writer
	if replay {
		a, err := warc.OpenArchive(list, name)
		if err != nil {
			t.Fatal(err)
		}
		list = a.Schemes()
	}
	c := fetch.New(list...)
	defer c.Close()
	if !replay {
		var err error
		if w, err = warc.Create(name, nil); err != nil {
			t.Fatal(err)
		}
		c.Recorder = warc.NewRecorder(w)
	}
	o := &fetch.Options{}
	if strings.HasPrefix(u, "gopher:") {
		o.Op = fetch.Metadata // only Gopher+ attributes have a time
	}
	d, err := c.Get(t.Context(), uri.MustParse(u), o)
	if err != nil {
		t.Fatalf("%s: %v", u, err)
	}
	io.Copy(io.Discard, d.Body)
	d.Body.Close()
	if w != nil {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	b, err := json.Marshal(render.NewInfo(uri.MustParse(u), d, nil))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestWhoisByRDAP: a whois URI through an RDAP gateway, which redirects to the registry, as rdap.org does.
func TestWhoisByRDAP(t *testing.T) {
	asked := []string{}
	var srv *httptest.Server
	srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path+" "+r.Header.Get("Accept"))
		kind, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/registry/"), "/")
		switch {
		case !strings.HasPrefix(r.URL.Path, "/registry/"):
			http.Redirect(w, r, srv.URL+"/registry"+r.URL.Path, http.StatusFound)
		case kind == "domain" && name == "example.org":
			w.Header().Set("Content-Type", "application/rdap+json")
			fmt.Fprintf(w, `{"objectClassName":"domain","ldhName":%q,"status":["active"],"links":[{"rel":"self","href":%q}]}`, name,
				srv.URL+r.URL.Path)
		default: // RFC 7480 section 5.3
			w.Header().Set("Content-Type", "application/rdap+json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"errorCode":404,"title":"not here"}`)
		}
	}))
	defer srv.Close()
	g, err := refer.Parse("whois=" + srv.URL + "/{+rdap}")
	if err != nil {
		t.Fatal(err)
	}
	list, err := refer.Apply(schemes.All(nil), []refer.Rule{g})
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(list...)
	defer c.Close()
	d, err := c.Get(t.Context(), uri.MustParse("whois://whois.iana.org/example.org"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	var b strings.Builder
	if err := render.View(&b, d, render.Text, nil); err != nil ||
		b.String() != "  [1] domain example.org\n        ldhName: example.org\n        status: active\n" {
		t.Errorf("%s%v", b.String(), err)
	}
	want := []string{"/domain/example.org application/rdap+json", "/registry/domain/example.org application/rdap+json"}
	if fmt.Sprint(asked) != fmt.Sprint(want) {
		t.Errorf("%q", asked)
	}
	if _, err := c.Get(t.Context(), uri.MustParse("whois:AS64496"), nil); fetch.KindOf(err) != fetch.ErrNotFound ||
		!strings.HasPrefix(asked[2], "/autnum/64496 ") {
		t.Errorf("%v, %q", err, asked)
	}
}
