package warc_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/refer"
	"example.org/deref/fetch/tofu"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
	"example.org/deref/schemes/gemini/geminitest"
)

// Every hop of a chain is a capture of its own: the name that a rule refers to another URI, the redirects of HTTP and of gemini, and the
// document. From the archive the same chain is followed, without a server.
func TestEveryHopIsACapture(t *testing.T) {
	t.Parallel()
	capsule := geminitest.NewServer(fstest.MapFS{"end.txt": {Data: []byte("the end")}}, &geminitest.Options{Reply: map[string]string{"/3": "31 /end.txt\r\n"}})
	defer capsule.Close()
	page := web(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/1" {
			http.Redirect(w, r, "/2", http.StatusMovedPermanently)
			return
		}
		w.Header().Set("Location", capsule.URL+"/3")
		w.WriteHeader(http.StatusSeeOther)
	})
	rules := []refer.Rule{{Scheme: "handle", Template: page + "/{path}"}}
	name := filepath.Join(t.TempDir(), "a.warc")
	prepare := func(c *fetch.Client) {
		c.FirstUse = new(tofu.Store).Check
		c.Policy.FollowTo = []string{"gemini", "http"}
		var err error
		if c.Schemes, err = refer.Apply(c.Schemes, rules); err != nil {
			t.Fatal(err)
		}
	}
	capture(t, name, &warc.Options{Log: true}, prepare, "handle:1")
	var got []string
	for _, r := range records(t, name) {
		if target := r.Target(); target != "" && !strings.HasPrefix(target, "urn:c") {
			got = append(got, r.Type()+" "+strings.NewReplacer(page, "WEB", capsule.URL, "CAPSULE").Replace(target))
		}
	}
	want := "metadata urn:dialogue:handle:1, response WEB/1, request WEB/1, response WEB/2, request WEB/2, metadata urn:dialogue:CAPSULE/3, " +
		"resource CAPSULE/end.txt, metadata urn:dialogue:CAPSULE/end.txt, metadata urn:log:a.warc"
	if got := strings.Join(got, ", "); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	capsule.Close()
	list, err := refer.Apply(schemes.All(nil), rules)
	if err != nil {
		t.Fatal(err)
	}
	a, err := warc.OpenArchive(list, name)
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(a.Schemes()...)
	defer c.Close()
	c.Policy.FollowTo = []string{"gemini", "http"}
	for _, s := range []string{"handle:1", page + "/1", capsule.URL + "/3"} {
		if got, err := read(c, s); err != nil || got != "the end" {
			t.Errorf("%s from the archive: got %q, %v; want the end", s, got, err)
		}
	}
}
