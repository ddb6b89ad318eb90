package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/refer"
	"example.org/deref/fetch/tofu"
	"example.org/deref/schemes"
	"example.org/deref/schemes/gemini/geminitest"
	"example.org/deref/testdata"
)

// As a proxy the gateway passes http redirects on and does not follow them: the target's content would have the first URI, so that pages of
// that origin could read it, and relative links would break.
func TestProxyPassesRedirectsOn(t *testing.T) {
	var other string
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close, X-Hop")
		w.Header().Set("X-Hop", "of this connection")
		switch r.URL.Path {
		case "/relative":
			w.Header().Set("Location", "../x/y?z#part")
		case "/other":
			w.Header().Set("Location", other+"/secret")
		case "/scheme":
			w.Header().Set("Location", "gopher://h.example/0/x")
		case "/file":
			w.Header().Set("Location", "file:///etc/passwd")
		case "/refresh":
			w.Header().Set("Refresh", "0; url=/elsewhere")
			return
		default:
			t.Errorf("the gateway followed to %s", r.URL)
		}
		w.Header().Set("Set-Cookie", "sid=1")
		w.Header().Set("X-Own", "as it was")
		w.Header().Set("Content-Type", "text/plain")
		code := 301
		fmt.Sscanf(r.URL.RawQuery, "%d", &code)
		w.WriteHeader(code)
		io.WriteString(w, "a note\n")
	}))
	defer origin.Close()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w,
			"the text of another origin")
	}))
	defer elsewhere.Close()
	other = elsewhere.URL
	l := newLab(t, nil)
	for _, tt := range []struct {
		path, location string
		status         int
	}{
		{"/relative", "../x/y?z#part", 301},
		{"/relative?302", "../x/y?z#part", 302},
		{"/relative?303", "../x/y?z#part", 303},
		{"/relative?307", "../x/y?z#part", 307},
		{"/relative?308", "../x/y?z#part", 308},
		{"/other", other + "/secret", 301},
		{"/scheme", "gopher://h.example/0/x", 301},
		{"/file", "file:///etc/passwd", 301},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			resp, body := through(t, l, method, origin.URL+tt.path)
			if resp.StatusCode != tt.status || resp.Header.Get("Location") != tt.location || resp.Header.Get("X-Own") != "as it was" ||
				resp.Header.Get("Set-Cookie") != "sid=1" || resp.Header.Get("X-Hop") != "" {
				t.Errorf("%s %s: %s %v, want %d to %s", method, tt.path, resp.Status, resp.Header, tt.status, tt.location)
			}
			if want := map[string]string{"GET": "a note\n"}[method]; method == "GET" && body != want {
				t.Errorf("%s: %q, want %q", tt.path, body, want)
			}
		}
	}
	if resp, _ := l.say(t, "GET "+origin.URL+"/refresh HTTP/1.0\r\n\r\n"); resp.StatusCode != 200 || resp.Header.Get("Refresh") == "" || resp.Header.Get("X-Hop") != "" {
		t.Errorf("Refresh: got %s %v, want StatusCode 200 and non-empty resp.Header.Get(\"Refresh\")", resp.Status, resp.Header)
	}
	// A program that uses the gateway as its proxy sees two origins.
	via, _ := url.Parse(l.URL)
	c := http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(via)}}
	resp, err := c.Get(origin.URL + "/other")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := resp.Request.URL.String(); got != other+"/secret" {
		t.Errorf("the client is at %s, want %s", got, other+"/secret")
	}
}

// through requests u with l as the proxy, without following redirects.
func through(t *testing.T, l lab, method, u string) (*http.Response, string) {
	t.Helper()
	via, _ := url.Parse(l.URL)
	tr := &http.Transport{Proxy: http.ProxyURL(via)}
	defer tr.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), method, u, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := tr.RoundTrip(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, u, err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, u, err)
	}
	return resp, string(b)
}

// A server's question is that of the form, without the words of an error.
func TestQuestionOfAServer(t *testing.T) {
	gem := geminitest.NewServer(testdata.Site(), nil)
	t.Cleanup(gem.Close)
	client := fetch.New(schemes.All(nil)...)
	client.FirstUse = new(tofu.Store).Check
	_, body := labOf(t, client, nil).ask(t, strings.Replace(gem.URL, "gemini://", "/gemini/", 1)+"/search", nil)
	_, main, _ := strings.Cut(body, "<main>")
	main, _, _ = strings.Cut(main, "</main>")
	if !strings.Contains(main, `<label for="words">Which words? <input`) || !strings.Contains(main, "<button>Send</button>") || strings.Contains(main, "wants input") {
		t.Errorf("got\n%s\nwant the question next to the field, once", main)
	}
}

// Referrals of other schemes become a 302, and forbidden ones an error.
func TestProxyMakesRedirectsOfReferrals(t *testing.T) {
	table := []refer.Rule{{Scheme: "wais", Template: "http://ann:secret@h.example/?{uri}"}, {Scheme: "nex", Template: "file:///{host}"}}
	list, err := refer.Apply(schemes.All(nil), table)
	if err != nil {
		t.Fatal(err)
	}
	l := labOf(t, fetch.New(list...), nil)
	for _, tt := range []struct {
		uri, location string
		status        int
	}{
		{"urn:ietf:rfc:2648", "https://www.rfc-editor.org/rfc/rfc2648.txt", 302},
		{"wais://h/db?words", "http://ann@h.example/?wais%3A%2F%2Fh%2Fdb%3Fwords", 302}, // the user's own referral, without the password
		{"nex://h/x", "", 403},
	} {
		resp, body := l.say(t, "GET "+tt.uri+" HTTP/1.0\r\n\r\n")
		if resp.StatusCode != tt.status || resp.Header.Get("Location") != tt.location ||
			strings.Contains(fmt.Sprint(resp.Header, body), "secret") {
			t.Errorf("%s: %s to %q, want %d to %q\n%s", tt.uri, resp.Status, resp.Header.Get("Location"), tt.status, tt.location, body)
		}
	}
}
