package warc_test

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
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
