package gateway_test

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gopher/gophertest"
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
	l := newLab(t, nil)
	_, body := l.ask(t, "/wais/"+strings.TrimPrefix(wais.URL, "wais://")+"/site?wide+area%20servers", nil)
	for _, want := range []string{"<h1>wide area servers – site</h1>", `required value="wide area servers"`} {
		if !strings.Contains(body, want) {
			t.Errorf("got no %q in\n%s", want, body)
		}
	}
}

// Every redirect keeps empty segments, which are part of what a URI names: a file below the root of an FTP server, an OID.
func TestRedirectsKeepEmptySegments(t *testing.T) {
	f := ftptest.NewServer(testdata.Site(), &ftptest.Options{NoAnonymous: true})
	t.Cleanup(f.Close)
	l, private := newLab(t, nil), strings.TrimPrefix(f.URL, "ftp://")
	answers := func(r *http.Request) {
		form := url.Values{"uri": {"gopher://h//0/x"}}.Encode()
		r.Method, r.Body, r.ContentLength = "POST", io.NopCloser(strings.NewReader(form)), int64(len(form))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, tt := range []struct {
		path string
		edit func(*http.Request)
		want string
	}{
		{"/-/go?uri=http://h//echo", nil, "/http/h//echo"},
		{"/-/go?uri=http://h/a//b/?x//y", nil, "/http/h/a//b/?x//y"},
		{"/-/go?uri=ftp://h//d/", nil, "/ftp/h//d/"},
		{"/-/go?uri=gopher://h/0//x", nil, "/gopher/h/0//x"},
		{"/-/go?uri=snmp://h//1.3.6.1", nil, "/snmp/h//1.3.6.1"},
		{"/?uri=http://h//", nil, "/http/h//"},
		{"/?x=y&uri=" + url.QueryEscape("gopher://h.example/0/a?b#c"), nil, "/gopher/h.example/0/a?b"},
		{"/-/answer", answers, "/-/ask/gopher/h//0/x"},
		{"/-/ask/gopher/" + l.gopher + "/1//history", nil, "/gopher/" + l.gopher + "/1//history"},
		{"/ftp://" + private + "//d", nil, "/ftp/" + private + "//d"},
	} {
		resp, body := l.ask(t, tt.path, tt.edit)
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
		_, body := l.ask(t, tt[0], nil)
		if want := `required value="` + tt[1] + `">`; !strings.Contains(body, want) {
			t.Errorf("%s: got no %s in\n%.3000s", tt[0], want, body[strings.Index(body, "<header>"):])
		}
	}
}

// A form of Gopher+ is a form of the page. The answers arrive in the order of the questions, and only from that form.
func TestFormsOfGopher(t *testing.T) {
	g := gophertest.NewServer(fstest.MapFS{
		"f.ask": {Data: []byte("Note: Read <this>\nAsk: Name?\tAnn\nAskL: Text?\nChoose: How?\tgopher\tftp\nSelect: Copy?\n\n$1 said:\n$2\n($3, $4)\n")},
		"p.ask": {Data: []byte("AskP: Password?\n\nThank you.\n")},
	}, &gophertest.Options{Plus: true})
	t.Cleanup(g.Close)
	l := newLab(t, nil)
	at := strings.TrimPrefix(g.URL, "gopher://")
	_, body := l.ask(t, "/gopher/"+at+"/", nil)
	if want := `<span class="k">FORM</span> <a href="/-/ask/gopher/` + at + `/0/f.ask">f.ask</a>`; !strings.Contains(body, want) {
		t.Fatalf("got no %s in\n%s", want, body)
	}
	_, form := l.ask(t, "/-/ask/gopher/"+at+"/0/f.ask", nil)
	for _, want := range []string{"<p>Read &lt;this&gt;</p>", `<label for="a1">Name?</label>`, `name="answer" value="Ann">`, "<textarea", "<option>ftp</option>", "<button>Send</button>"} {
		if !strings.Contains(form, want) {
			t.Errorf("the form lacks %s:\n%s", want, form)
		}
	}
	seal := regexp.MustCompile(`name="seal" value="([0-9a-f]+)"`).FindStringSubmatch(form)
	if seal == nil {
		t.Fatalf("got a form without a seal:\n%s", form)
	}
	send := func(q url.Values) func(*http.Request) {
		return func(r *http.Request) {
			r.Method = "POST"
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.ContentLength = int64(len(q.Encode()))
			r.Body = io.NopCloser(strings.NewReader(q.Encode()))
		}
	}
	q := url.Values{"uri": {g.URL + "/0/f.ask"}, "seal": {seal[1]}, "kind": {"Ask", "AskL", "Choose", "Select"}, "answer": {"Joe", "one\r\ntwo", "ftp", "1"}}
	if _, body = l.ask(t, "/-/answer", send(q)); !strings.Contains(body, "Joe said:\none\ntwo\n(ftp, 1)") {
		t.Errorf("got\n%s\nwant the document that the answers make", body)
	}
	before := g.Transcript()
	q.Set("seal", strings.Repeat("0", 32))
	if resp, _ := l.ask(t, "/-/answer", send(q)); resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/-/ask/gopher/"+at+"/0/f.ask" {
		t.Errorf("got %s to %s, want the form", resp.Status, resp.Header.Get("Location"))
	}
	if after := g.Transcript(); len(after) != len(before) {
		t.Errorf("got the request %q without a seal, want none", after[len(before):])
	}
	if _, body = l.ask(t, "/-/ask/gopher/"+at+"/0/p.ask", nil); !strings.Contains(body, `<input type="password" id="a0" name="answer">`) {
		t.Errorf("got\n%s\nwant a field for a password", body)
	}
	for path, want := range map[string]int{"/": 405, "/gopher/" + at + "/0/f.ask": 405, "/-/answer/": 405} { // nothing else may have a body
		if resp, _ := l.ask(t, path, send(q)); resp.StatusCode != want {
			t.Errorf("POST %s: got %s, want %d", path, resp.Status, want)
		}
	}
	if resp, _ := l.ask(t, "/-/answer?"+q.Encode(), nil); resp.StatusCode != 400 {
		t.Errorf("GET: got %s, want 400", resp.Status)
	}
	q.Set("answer", strings.Repeat("x", 70_000))
	if resp, _ := l.ask(t, "/-/answer", send(q)); resp.StatusCode != 405 {
		t.Errorf("POST of 70,000 bytes: got %s, want 405", resp.Status)
	}
}
