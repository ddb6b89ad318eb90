package warc_test

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/refer"
	"example.org/deref/fetch/tofu"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes/gemini/geminitest"
)

// Readers such as pywb show the last record of a URI and second, so no two records but a response and its request share a target URI, and each
// record about a document is linked to it.
func TestRecordsHaveTheirOwnTargets(t *testing.T) {
	site := ftpSite(t)
	name := filepath.Join(t.TempDir(), "a.warc")
	capture(t, name, &warc.Options{Index: true}, nil, site+"/pub/", site+"/pub/nonesuch")
	all := records(t, name)
	if got := types(all); got != "warcinfo resource conversion metadata metadata" {
		t.Fatalf("got %s, want a listing with its entries and conversation, and a failure", got)
	}
	for i, want := range []string{"", site + "/pub/", "urn:listing:" + site + "/pub/", "urn:dialogue:" + site + "/pub/",
		"urn:dialogue:" + site + "/pub/nonesuch"} {
		if got := all[i].Target(); got != want {
			t.Errorf("%s: got the target %q, want %q", all[i].Type(), got, want)
		}
	}
	if got, want := all[3].Fields.Get("WARC-Concurrent-To"), all[1].ID(); got != want {
		t.Errorf("conversation: got WARC-Concurrent-To %q, want %q", got, want)
	}
	if got, want := all[2].Fields.Get("WARC-Refers-To"), all[1].ID(); got != want {
		t.Errorf("entries: got WARC-Refers-To %q, want %q", got, want)
	}
	index := contentOf(t, strings.TrimSuffix(name, ".warc")+".cdxj")
	host := "1,0,0,127:" + site[strings.LastIndexByte(site, ':')+1:]
	lines := strings.Split(strings.TrimSpace(string(index)), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], host+")/pub ") || !strings.HasPrefix(lines[1], "urn:dialogue:ftp://127.0.0.1:") {
		t.Errorf("got the index\n%s\nwant the listing with the key %s)/pub, and the failure", index, host)
	}
	if _, err := replayed(t, site+"/pub/nonesuch", nil, name); fetch.KindOf(err) != fetch.ErrNotFound {
		t.Errorf("read back: got %v, want %s", err, fetch.ErrNotFound)
	}
}

// A reply that nothing has changed is a revisit of the latest document.
func TestNotModifiedIsRevisit(t *testing.T) {
	page := web(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", `"1"`)
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		io.WriteString(w, "a page")
	}) + "/"
	file := ftpSite(t) + "/pub/a.txt"
	for _, u := range []string{page, file} {
		dir := t.TempDir()
		first, second := filepath.Join(dir, "a.warc"), filepath.Join(dir, "b.warc")
		text, err := recorded(t, first, u, nil)
		if err != nil {
			t.Fatal(err)
		}
		is := fetch.Validator{Tag: `"1"`, Size: -1}
		if u == file {
			is = validatorOf(t, first, u)
		}
		if _, err := recorded(t, second, u, &fetch.Options{IfChanged: is}); err != nil {
			t.Fatal(err)
		}
		var again stored
		for _, r := range records(t, second) {
			if r.Type() == warc.Revisit {
				again = r
			}
		}
		if again.Record == nil {
			t.Fatalf("%s: got %s, want a revisit", u, types(records(t, second)))
		}
		f := again.Fields
		if f.Get("WARC-Profile") != "http://netpreserve.org/warc/1.1/revisit/server-not-modified" || f.Get("WARC-Refers-To-Target-URI") != u {
			t.Errorf("%s: got %v, want the profile server-not-modified that refers to the URI", u, f)
		}
		if got, err := replayed(t, u, nil, first, second); got != text || err != nil {
			t.Errorf("%s: read back: got %q, %v; want %q", u, got, err, text)
		}
		checked(t, second)
	}
}

// validatorOf returns the validator in the dialogue of an archive.
func validatorOf(t *testing.T, name, u string) fetch.Validator {
	t.Helper()
	for _, r := range records(t, name) {
		if r.Target() == "urn:dialogue:"+u {
			if v := warc.ParseOutcome(r.block).Validator; !v.IsZero() {
				return v
			}
		}
	}
	t.Fatalf("%s has no validator of %s", name, u)
	return fetch.Validator{}
}

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
	list, err := refer.Apply(handlers(), rules)
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
