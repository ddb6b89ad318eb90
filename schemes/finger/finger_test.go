package finger

import (
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/schemes/finger/fingertest"
	"example.org/deref/schemes/internal/schemetest"
)

// get dereferences s and reads the whole document.
func get(t *testing.T, s string, set ...string) (string, error) {
	t.Helper()
	o := &fetch.Options{Set: map[string][]string{}}
	for _, key := range set {
		o.Set[key] = []string{"yes"}
	}
	_, body, err := fetchtest.Get(t, s, o, Scheme())
	return body, err
}

func TestServer(t *testing.T) {
	srv := fingertest.NewServer(fstest.MapFS{"alice": {Data: []byte("Alice Lab\nTo build a lab.\n")}, "ops/bob": {Data: []byte("Bob")}}, nil)
	defer srv.Close()
	for _, tt := range []struct {
		path, said, body string
		kind             fetch.Kind
	}{
		{"/alice", "alice", "Alice Lab\r\nTo build a lab.\r\n", ""},
		{"/%2FW%20alice", "/W alice", "Login: alice\r\nAlice Lab\r\nTo build a lab.\r\n", ""},
		{"/ops/bob", "ops/bob", "Bob", ""},
		{"", "", "Login\r\nalice\r\nops\r\n", ""},
		{"/nobody", "nobody", "", fetch.ErrNotFound},
		{"/alice#Plan", "alice", "Alice Lab\r\nTo build a lab.\r\n", ""},
	} {
		body, err := get(t, srv.URL+tt.path)
		if body != tt.body || fetch.KindOf(err) != tt.kind {
			t.Errorf("%s: got %q, %v, want %q, kind %q", tt.path, body, err, tt.body, tt.kind)
		}
		if said := srv.Transcript(); said[len(said)-1] != tt.said {
			t.Errorf("%s: got the request %q, want %q", tt.path, said[len(said)-1], tt.said)
		}
	}
	for _, tt := range []struct{ path, setting, want string }{
		{"/alice@other.example", forward, "finger: forwarding service denied.\r\n"},
		{"/ops/bob", long, "Login: ops/bob\r\nBob"},
	} {
		if body, err := get(t, srv.URL+tt.path, tt.setting); err != nil || body != tt.want {
			t.Errorf("%s: got %q, %v, want %q", tt.path, body, err, tt.want)
		}
	}
}

func TestPlans(t *testing.T) {
	search := fetch.Options{Search: []string{"alice", "bob"}}
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "finger://h/alice", Want: "tcp h:79 document text/plain\nalice"},
		{URI: "finger://alice@h", Want: "tcp h:79 document text/plain\nalice"},
		{URI: "finger://alice@h/", Want: "tcp h:79 document text/plain\nalice"},
		{URI: "finger://[::1]:7979/a%20b", Want: "tcp [::1]:7979 document text/plain\na b"},
		{URI: "finger://h//W", Want: "tcp h:79 document text/plain\n/W"}, // only the first slash belongs to the URI
		{URI: "finger://h/", Options: search, Want: "tcp h:79 document text/plain\nalice bob"},
		{URI: "finger://h/alice@other", Kind: fetch.ErrDenied}, // RFC 1288 section 3.2.1
		{URI: "finger://h/@other", Kind: fetch.ErrDenied},
		{URI: "finger://a%40other@h/", Kind: fetch.ErrDenied},
		{URI: "finger://alice@h/bob", Kind: fetch.ErrRefusedURL},
		{URI: "finger://h/alice?bob", Kind: fetch.ErrRefusedURL},
		{URI: "finger:alice", Kind: fetch.ErrRefusedURL},
		{URI: "finger:///alice", Kind: fetch.ErrRefusedURL},
		{URI: "finger://-h/alice", Kind: fetch.ErrRefusedURL},
		{URI: "finger://h:25/alice", Kind: fetch.ErrRefusedPort},
		{URI: "finger://h/alice", Options: fetch.Options{Range: fetch.Range{From: 1}}, Kind: fetch.ErrRange},
		{URI: "finger://h/alice", Options: fetch.Options{Op: fetch.Metadata}, Kind: fetch.ErrUnsupported},
	}, Scheme())
}

func TestRealServer(t *testing.T) {
	addr := lab.Server(t, "finger") // efingerd
	body, err := get(t, "finger://"+addr+"/alice")
	if want := "\nLogin: alice   Name: Alice Lab\nPlan:\nTo build a lab.\ncaf\xe9\n\r\n"; body != want || err != nil {
		t.Errorf("got %q, %v, want %q", body, err, want)
	}
	if _, err := get(t, "finger://"+addr+"/nosuchuser"); fetch.KindOf(err) != fetch.ErrNotFound {
		t.Errorf("an unknown user: got %v, want %s", err, fetch.ErrNotFound)
	}
	body, err = get(t, "finger://"+addr)
	if want := "\nLogin  Name\nalice  Alice Lab\nbob    Bob Smith\n\r\n"; err != nil || body != want {
		t.Errorf("got %q, %v, want %q", body, err, want)
	}
}

// TestPage checks that the table of replies is documented.
func TestPage(t *testing.T) { schemetest.Page(t, answers, Scheme()) }

func FuzzReading(f *testing.F) {
	fetchtest.Fuzz(f, []string{"finger://h/alice", "finger://alice@h", "finger://h/%2FW%20a%0D", "finger:x", "finger://h/a@b"}, Scheme())
}

// FuzzFailure checks that answers of several lines are documents, and that every error has a kind.
func FuzzFailure(f *testing.F) {
	for _, s := range []string{"", "\r\n", "finger: x: no such user.\n", "\nNo such user: x\n\r\n", "fing", "Login: x\r\nPlan:\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		switch fetch.KindOf(failure(s)) {
		case "", fetch.ErrTruncated, fetch.ErrNotFound:
		default:
			t.Errorf("%q: got %v, want %s, %s or no error", s, failure(s), fetch.ErrTruncated, fetch.ErrNotFound)
		}
		if failure("x\n"+s) != nil {
			t.Errorf("%q: got %v, want a document", "x\n"+s, failure("x\n"+s))
		}
	})
}
