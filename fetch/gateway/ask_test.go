package gateway_test

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/schemes/gopher/gophertest"
)

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
