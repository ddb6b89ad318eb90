package promises_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/refer"
	"example.org/deref/fetch/render"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

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
