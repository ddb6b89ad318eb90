package gateway_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/wais/waistest"
	"example.org/deref/testdata"
)

// The address field understands a URI as texts contain it, and the name of a host. What it does not understand stays in it.
func TestAddressField(t *testing.T) {
	l := newLab(t, nil)
	for _, tt := range [][2]string{
		{"gopher://h.example/0/a", "/gopher/h.example/0/a"},
		{" <URL:ftp://h.example/pub/> ", "/ftp/h.example/pub/"},
		{"URL:news:comp.lang.c", "/news:comp.lang.c"},
		{"<gemini://h.example/>", "/gemini/h.example/"},
		{"gopher.floodgap.com", "/gopher/gopher.floodgap.com/"},
		{"ftp.gnu.org/pub/", "/ftp/ftp.gnu.org/pub/"},
		{"info.cern.ch", "/http/info.cern.ch/"},
		{"h.example:70", "/gopher/h.example:70/"},
		{"localhost:8080/x", "/http/localhost:8080/x"},
		{"[2001:db8::1]/x", "/http/[2001:db8::1]/x"},
		{"192.0.2.7", "/http/192.0.2.7/"},
		{"dict.org", "/dict/dict.org/"},
		{"file.example", "/http/file.example/"},
	} {
		resp, body := l.ask(t, "/-/go?uri="+url.QueryEscape(tt[0]), nil)
		if got := resp.Header.Get("Location"); resp.StatusCode != http.StatusSeeOther || got != tt[1] {
			t.Errorf("%q: got %s to %q, want %q\n%.300s", tt[0], resp.Status, got, tt[1], body)
		}
	}
	for _, text := range []string{"", "owls", "what is an owl?", `"><script>`, "javascript:alert(1)", "nonesuch://h/", "a b.example"} {
		resp, body := l.ask(t, "/-/go?uri="+url.QueryEscape(text), nil)
		want := `required value="` + strings.NewReplacer(`"`, "&#34;", "<", "&lt;", ">", "&gt;").Replace(text) + `">`
		if resp.StatusCode != http.StatusBadRequest || !strings.Contains(body, want) || strings.Contains(body, "<script>") {
			t.Errorf("%q: got %s, want 400 and %s in\n%s", text, resp.Status, want, body)
		}
	}
}

// The words of a wais URI are in the title of its results, and in the field for the next search.
func TestWordsOfURI(t *testing.T) {
	wais := waistest.NewServer(testdata.Site(), nil)
	t.Cleanup(wais.Close)
	newLab(t, nil).shows(t, "/wais/"+strings.TrimPrefix(wais.URL, "wais://")+"/site?wide+area%20servers", nil, "<h1>wide area servers – site</h1>", `required value="wide area servers"`)
}

// Every redirect keeps empty segments, which are part of what a URI names: a file below the root of an FTP server, an OID.
func TestRedirectsKeepEmptySegments(t *testing.T) {
	f := ftptest.NewServer(testdata.Site(), &ftptest.Options{NoAnonymous: true})
	t.Cleanup(f.Close)
	l, private := newLab(t, nil), strings.TrimPrefix(f.URL, "ftp://")
	for _, tt := range []struct {
		path, want string
	}{
		{"/-/go?uri=http://h//echo", "/http/h//echo"},
		{"/-/go?uri=http://h/a//b/?x//y", "/http/h/a//b/?x//y"},
		{"/-/go?uri=ftp://h//d/", "/ftp/h//d/"},
		{"/-/go?uri=gopher://h/0//x", "/gopher/h/0//x"},
		{"/-/go?uri=snmp://h//1.3.6.1", "/snmp/h//1.3.6.1"},
		{"/?uri=http://h//", "/http/h//"},
		{"/?x=y&uri=" + url.QueryEscape("gopher://h.example/0/a?b#c"), "/gopher/h.example/0/a?b"},
		{"/ftp://" + private + "//d", "/ftp/" + private + "//d"},
	} {
		resp, body := l.ask(t, tt.path, nil)
		if got := resp.Header.Get("Location"); resp.StatusCode != http.StatusSeeOther || got != tt.want || !strings.Contains(body, `<a href="`+tt.want) {
			t.Errorf("%s: got %s to %q, want 303 to %q, with a link for old browsers\n%.300s", tt.path, resp.Status, got, tt.want, body)
		}
	}
}

// The address field contains the page's own address, so that submitting it opens the same page: with the community of an SNMP agent, which is in the
// path as well, and without a password, which is not.
func TestFieldIsTheAddress(t *testing.T) {
	l := newLab(t, nil)
	for _, tt := range [][2]string{
		{"/-/explain/snmp/public@127.0.0.1/1.3.6.1", "snmp://public@127.0.0.1/1.3.6.1"},
		{"/-/explain/ftp/ann:sesame@127.0.0.1//d/", "ftp://ann@127.0.0.1//d/"},
		{"/snmp/public@127.0.0.1:1/1.3.6.1", "snmp://public@127.0.0.1:1/1.3.6.1"}, // nothing answers
	} {
		l.shows(t, tt[0], nil, `required value="`+tt[1]+`">`)
	}
}
