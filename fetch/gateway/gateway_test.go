package gateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/gateway"
	"example.org/deref/fetch/policy"
	"example.org/deref/schemes"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/testdata"
	"example.org/deref/testdata/pages"
)

func TestMain(m *testing.M) {
	fetchtest.Overlap()
	m.Run()
}

// A lab is a gateway and servers for the sample site.
type lab struct {
	*httptest.Server
	ftp, gopher string // host and port
}

func newLab(t *testing.T, cfg *gateway.Config) lab {
	t.Helper()
	l := pages.NewLab(t, cfg)
	return lab{l.Server, l.FTP, l.Gopher}
}

// labOf returns a gateway with a Client, which is closed with the test.
func labOf(t *testing.T, c *fetch.Client, cfg *gateway.Config) lab {
	t.Helper()
	t.Cleanup(func() { c.Close() })
	s := httptest.NewServer(gateway.New(c, cfg))
	t.Cleanup(s.Close)
	return lab{Server: s}
}

// ask sends one request, which edit may change.
func (l lab) ask(t *testing.T, path string, edit func(*http.Request)) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest("GET", l.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if edit != nil {
		edit(r)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(b)
}

// shows sends one request, and checks that the page contains each of the parts.
func (l lab) shows(t *testing.T, path string, edit func(*http.Request), parts ...string) (*http.Response, string) {
	t.Helper()
	resp, body := l.ask(t, path, edit)
	contains(t, path+": "+resp.Status, body, parts...)
	return resp, body
}

// contains checks that a text contains each of the parts.
func contains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, want := range parts {
		if !strings.Contains(text, want) {
			t.Errorf("%s: got\n%s\nwant %q in it", what, text, want)
		}
	}
}

// A searchable web page gets a search field: ISINDEX, or a form with one field (HTML 2.0 sections 5.2.3 and 8).
func TestSearchablePages(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch {
		case r.URL.Path == "/form":
			io.WriteString(w, `<form action="find?l=en"><input name=q><input type=hidden name=l value=en></form>`)
		case r.URL.RawQuery != "":
			io.WriteString(w, "asked for "+r.URL.RawQuery)
		default:
			io.WriteString(w, "<title>x</title><isindex>")
		}
	}))
	defer srv.Close()
	l := newLab(t, nil)
	host := strings.TrimPrefix(srv.URL, "http://")
	l.shows(t, "/http/"+host+"/index", nil, `<input type="hidden" name="uri" value="`+srv.URL+`/index">`)
	l.shows(t, "/http/"+host+"/form", nil, `role="search"`)
	l.shows(t, "/-/search?words=big+owl&uri="+url.QueryEscape(srv.URL+"/index"), nil, "asked for big+owl")
}

func TestRefuses(t *testing.T) {
	l := newLab(t, nil)
	head := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	navigation := func(r *http.Request) {
		for _, name := range []string{"Site cross-site", "Mode navigate", "Dest document"} {
			name, value, _ := strings.Cut(name, " ")
			r.Header.Set("Sec-Fetch-"+name, value)
		}
	}
	for _, row := range []struct {
		name, path string
		edit       func(*http.Request)
		status     int
	}{
		{"a name that is not ours", "/", func(r *http.Request) { r.Host = "rebound.example" }, 421},
		{"a frame of another site", "/ftp/" + l.ftp + "/", head("Sec-Fetch-Site", "cross-site"), 403},
		{"a page of another site that goes on by itself", "/ftp/" + l.ftp + "/", navigation, 403},
		{"a link with a seal that is not ours", "/-/to/00000000000000000000000000000000/ftp/" + l.ftp + "/", navigation, 403},
		{"an image likewise", "/-/image/00000000000000000000000000000000/ftp/" + l.ftp + "/", nil, 404},
		{"another method", "/", func(r *http.Request) { r.Method = "POST" }, 405},
		{"a body", "/", func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(strings.NewReader("x")), 1 }, 400},
		{"a file", "/file///etc/passwd", nil, 403},
		{"a message store", "/mid:a@b", nil, 403},
		{"a session", "/telnet/127.0.0.1", nil, 403},
		{"no scheme", "/nonesuch/h/", nil, 404},
		{"metrics without Config.Metrics", "/metrics", nil, 404},
	} {
		if resp, body := l.ask(t, row.path, row.edit); resp.StatusCode != row.status {
			t.Errorf("%s: %s, want %d\n%s", row.name, resp.Status, row.status, body)
		}
	}
}

func TestAddressesOfThisMachineAreThePolicysMatter(t *testing.T) {
	c := fetch.New(schemes.All(nil)...)
	c.Policy.DenyPrivate = true
	resp, body := labOf(t, c, nil).ask(t, "/gopher/localhost:7/", nil)
	if resp.StatusCode != 403 {
		t.Errorf("%s\n%s", resp.Status, body)
	}
}

// The Policy of the Client is that of the gateway: its rules deny servers, and allow schemes that are refused by default.
func TestRulesOfThePolicy(t *testing.T) {
	c := fetch.New(schemes.All(nil)...)
	l := labOf(t, c, nil)
	for _, tt := range []struct {
		rule, path string
		status     int
	}{
		{"deny host=*.example", "/gopher/h.example/", 403},
		{"deny scheme=gopher", "/gopher/h.example/", 403},
		{"allow", "/data:,hello", 403},
		{"allow scheme=data", "/data:,hello", 200},
	} {
		r, err := policy.ParseRule(tt.rule)
		if err != nil {
			t.Fatal(err)
		}
		c.Policy.Rules = []policy.Rule{r}
		if resp, body := l.ask(t, tt.path, nil); resp.StatusCode != tt.status {
			t.Errorf("%s, %s: got %s, want %d\n%.200s", tt.rule, tt.path, resp.Status, tt.status, body)
		}
	}
}

// TestLogin: a browser sends a login to the paths below the challenged one, so logins are requested and accepted only if all those paths
// belong to one server.
func TestLogin(t *testing.T) {
	f := ftptest.NewServer(testdata.Site(), &ftptest.Options{NoAnonymous: true, Users: map[string]ftptest.User{"ann": {Password: "sesame"}}})
	t.Cleanup(f.Close)
	l, host := newLab(t, nil), strings.TrimPrefix(f.URL, "ftp://")
	login := func(r *http.Request) { r.SetBasicAuth("ann", "sesame") }
	for _, row := range []struct {
		path   string
		edit   func(*http.Request)
		status int
		asked  bool
	}{
		{"/ftp/" + host + "/", nil, 401, true},
		{"/ftp/" + host + "/", login, 200, false},
		{"/-/raw/ftp/" + host + "/README.txt", login, 200, false},
		{"/-/raw/ftp/" + host + "/README.txt", nil, 401, true},
		{"/-/part/1/ftp/" + host + "/mail/related.eml", login, 200, false},
		{"/ftp/" + host, login, 303, false},
		{"/-/uri?ftp://" + host + "/", login, 401, false},
	} {
		resp, _ := l.ask(t, row.path, row.edit)
		if resp.StatusCode != row.status || (resp.Header.Get("WWW-Authenticate") != "") != row.asked {
			t.Errorf("%s: got %s, %q; want %d, challenge: %t", row.path, resp.Status, resp.Header.Get("WWW-Authenticate"), row.status, row.asked)
		}
		if want := `Basic realm="ftp://` + host + `", charset="UTF-8"`; row.asked && resp.Header.Get("WWW-Authenticate") != want {
			t.Errorf("%s: %s, want %s", row.path, resp.Header.Get("WWW-Authenticate"), want)
		}
	}
}
