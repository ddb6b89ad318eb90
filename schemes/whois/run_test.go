package whois

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/schemes/whois/whoistest"
	"example.org/deref/uri"
)

func get(t *testing.T, s string, o *fetch.Options) (*fetch.Document, string, error) {
	t.Helper()
	return fetchtest.Get(t, s, o, Schemes(nil)...)
}

func site() fstest.MapFS {
	return fstest.MapFS{
		"example.org": {Data: []byte("domain: example.org\nstatus: lab\n")},
		"p/al 1":      {Data: []byte("Ann Lee\nb\n")},
		"latin1":      {Data: []byte("in Latin-1: \xe9\n")},
	}
}

func TestServer(t *testing.T) {
	srv := whoistest.NewServer(site(), nil)
	defer srv.Close()
	first := whoistest.NewServer(fstest.MapFS{},
		&whoistest.Options{Refer: map[string]string{"example.org": srv.Addr, "none": "whois.invalid"}})
	defer first.Close()
	for _, tt := range []struct {
		url, said, body string
		kind            fetch.Kind
		via             int
	}{
		{srv.URL + "/example.org", "example.org", "domain: example.org\r\nstatus: lab\r\n", "", 0},
		{srv.URL + "/p/al%201", "p/al 1", "Ann Lee\r\nb\r\n", "", 0},
		{srv.URL + "/p?al+1", "p al 1", "", fetch.ErrNotFound, 0},
		{srv.URL + "/latin1", "latin1", "in Latin-1: \xe9\r\n", "", 0},
		{srv.URL + "/p", "p", "p/al 1\r\n", "", 0},
		{srv.URL + "/nobody", "nobody", "", fetch.ErrNotFound, 0},
		{first.URL + "/example.org", "example.org", "domain: example.org\r\nstatus: lab\r\n", "", 1},
		{first.URL + "/none", "", "", fetch.ErrDNS, 0},
	} {
		d, body, err := get(t, tt.url, nil)
		if body != tt.body || fetch.KindOf(err) != tt.kind {
			t.Errorf("%s: got %q, %v, want %q, kind %q", tt.url, body, err, tt.body, tt.kind)
		}
		if said := srv.Transcript(); tt.said != "" && said[len(said)-1] != tt.said {
			t.Errorf("%s: sent %q, want %q last", tt.url, said, tt.said)
		}
		if d != nil && len(d.Via) != tt.via {
			t.Errorf("%s: got %d referrals %v, want %d", tt.url, len(d.Via), d.Via, tt.via)
		}
	}
}

// TestNoFollow: the referral is the document, with its text.
func TestNoFollow(t *testing.T) {
	srv := whoistest.NewServer(fstest.MapFS{}, &whoistest.Options{Refer: map[string]string{"a b": "whois.example:4343"}})
	defer srv.Close()
	c := fetch.New(Schemes(nil)...)
	c.Policy.NoFollow = true
	defer c.Close()
	d, err := c.Get(t.Context(), uri.MustParse(srv.URL+"/a%20b"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	b, err := io.ReadAll(d.Body)
	if string(b) != "% another server knows\r\n\r\nrefer: whois.example:4343\r\n" || err != nil {
		t.Errorf("got %q, %v, want the text of the referring server", b, err)
	}
	if len(d.Referrals) != 1 || d.Referrals[0].URI.String() != "whois://whois.example:4343/a%20b" {
		t.Errorf("got referrals %v, want whois://whois.example:4343/a%%20b", d.Referrals)
	}
}

func TestReferrals(t *testing.T) {
	for head, want := range map[string]string{
		"refer:        whois.pir.org\r\n":                   "whois://whois.pir.org/x",
		"domain: ORG\r\nwhois:  whois.pir.org\r\n":          "whois://whois.pir.org/x",
		"   Registrar WHOIS Server: whois.r.example\r\n":    "whois://whois.r.example/x",
		"ReferralServer:  whois://whois.ripe.net\r\n":       "whois://whois.ripe.net/x",
		"ReferralServer: rwhois://rwhois.example:4321/\r\n": "rwhois://rwhois.example:4321",
		"refer: a\nrefer: A\nwhois server: b:4343\n":        "whois://a/x whois://b:4343/x",
		"Registrar WHOIS Server: w.example\r\n":             "",             // itself
		"refer:\r\nwhois: -o\r\nwhois: a b\r\n":             "whois://-o/x", // which the Client refuses
		"remark: refer: a\r\n":                              "",
		"refer: 0\nrefer: 1\nrefer: 2\nrefer: 3\nrefer: 4\nrefer: 5\nrefer: 6\nrefer: 7\nrefer: 8\n": "whois://0/x whois://1/x whois://2/x " +
			"whois://3/x whois://4/x whois://5/x whois://6/x whois://7/x",
	} {
		p := &fetch.Plan{URI: uri.MustParse("whois://w.example/x"), Addr: "w.example:43"}
		got := []string{}
		for _, r := range (&request{line: "x"}).referrals(p, wholeLines(head+"refer: unfinished")) {
			got = append(got, r.URI.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", head, got, want)
		}
	}
}

func TestFailure(t *testing.T) {
	for text, want := range map[string]fetch.Kind{
		"": fetch.ErrTruncated, "\r\n\r\n": fetch.ErrTruncated,
		"No match for \"X.ORG\".\r\n":                               fetch.ErrNotFound,
		"% IANA WHOIS server\r\n% This query returned 0 objects.\n": fetch.ErrNotFound,
		"% RIPE\n\n%ERROR:101: no entries found\n%\n% No entries\n": fetch.ErrNotFound,
		"%ERROR:201: access denied for 192.0.2.1\n":                 fetch.ErrRefused,
		"NOT FOUND\n":                            fetch.ErrNotFound,
		"% comment\nNo match for X.ORG":          fetch.ErrNotFound, // the close ends the line
		"domain: x\nremarks:\nnot found\n":       "",                // a record whose text mentions the words
		"% comment\n":                            "",
		"No match f":                             "",
		"Not foundry: the shop of A. Nobody\r\n": fetch.ErrNotFound, // by its beginning: RFC 3912 has nothing better
	} {
		if err := failure(text); fetch.KindOf(err) != want {
			t.Errorf("%q: got %v, want kind %q", text, err, want)
		}
	}
}

func TestTemplates(t *testing.T) {
	srv := whoistest.NewServer(site(), &whoistest.Options{Templates: true})
	defer srv.Close()
	first := whoistest.NewServer(fstest.MapFS{}, &whoistest.Options{Templates: true, Refer: map[string]string{"p/al 1": srv.Addr}})
	defer first.Close()
	const want = "# FULL TEXT WHOISTEST p/al_1\r\n Name: p/al 1\r\n text: Ann Lee\r\n-b\r\n# END\r\n"
	d, body, err := get(t, first.URL+"/p%2Fal%201", nil)
	if body != want || err != nil {
		t.Fatalf("got %q, %v, want %q", body, err, want)
	}
	if len(d.Via) != 1 || d.End != fetch.EndTerminated {
		t.Errorf("got referrals %v, end %s, want 1, %s", d.Via, d.End, fetch.EndTerminated)
	}
	if _, _, err := get(t, srv.URL+"/nobody", nil); fetch.KindOf(err) != fetch.ErrNotFound {
		t.Errorf("nobody: got %v, want kind %s", err, fetch.ErrNotFound)
	}
	c := fetch.New(Schemes(nil)...)
	defer c.Close()
	for e, err := range c.Entries(t.Context(), uri.MustParse(srv.URL+"/example.org"), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != fetch.KindEntry || e.Title != "FULL TEXT WHOISTEST example.org: example.org" ||
			!reflect.DeepEqual(e.Attr["text"], []string{"domain: example.org\nstatus: lab"}) || e.URI.String() != srv.URL+"/handle=example.org" {
			t.Errorf("got %+v, want an entry of example.org with its text and handle", e)
		}
		if _, body, err := get(t, e.URI.String(), nil); err != nil || !strings.Contains(body, "status: lab") {
			t.Errorf("%s: got %q, %v, want the record", e.URI, body, err)
		}
	}
}

// TestPolledServers checks that responses to POLLED-BY and POLLED-FOR refer to the servers that they name.
func TestPolledServers(t *testing.T) {
	const text = "# FULL POLLED-BY HERE THERE1\r\n Server-handle: THERE1\r\n Cached-Host-Name: there.example\r\n Cached-Host-Port: " +
		"7070\r\n Template: USER\r\n# END\r\n" +
		"# FULL POLLED-FOR HERE OTHER\r\n Server-Handle: OTHER\r\n Host-Name: ::1\r\n Server-Handle: X\r\n Host-Port: 9\r\n# END\r\n# FULL " +
		"USER HERE A1\r\n Host-Name: a.example\r\n# END\r\n"
	got := []string{}
	for e, err := range (lister{uri.MustParse("whois++://h/polled-by"), "polled-by", -1}).entries(strings.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.URI.String())
	}
	if want := []string{"whois++://there.example:7070/", "whois++://[::1]/", "whois++://h/handle=A1"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestNextServers parses lists of servers to ask in the format of 1995.
func TestNextServers(t *testing.T) {
	const text = "# SERVERS-TO-ASK KTH\r\n Version-Number: 1.0\r\n Body-of-Query: name=phil\r\n Next-Servers:\r\n\tSUNET01 sunic.sunet.se " +
		"7070\r\n\tX other.example 63\r\n\tbroken\r\n Other: a b c\r\n# END\r\n"
	got := []string{}
	for _, r := range (lister{uri.MustParse("whois++://h/name=phil"), "name=phil", -1}).servers(strings.NewReader(text)) {
		got = append(got, r.URI.String())
	}
	if want := []string{"whois++://sunic.sunet.se:7070/name=phil", "whois++://other.example:63/name=phil"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestROADS parses output of wppd of ROADS 2.3, a server of 1999 that was run for this: lines broken in the middle of a word and
// after a blank, line breaks in values, records without a body, and one template for each server to ask.
func TestROADS(t *testing.T) {
	const text = "# FULL project lab01 8432-22\r\n Description: a one-stop gate\r\n+way for economics, \r\n+and business \r\n Programme: " +
		"eLib \r\n# END\r\n\r\n" +
		"# FULL SERVICES lab01 SERVICES\r\n Text: one\r\n-\r\n-  two\r\n# END\r\n# HANDLE PROJECT lab01 8432-23\r\n# HANDLE PROJECT lab01 " +
		"8432-24\r\n" +
		"# SUMMARY lab01\r\n Matches: 23\r\n# END\r\n# SERVER-TO-ASK two\r\n Server-Handle: two\r\n Host-Name: two.example\r\n Host-Port: " +
		"8237\r\n# END\r\n\r\n"
	var got []string
	l := lister{uri.MustParse("whois++://h/gate"), "gate", -1}
	for e, err := range l.entries(strings.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %q %v", e.URI, e.Title, e.Attr))
	}
	want := []string{
		`whois++://h/handle=8432-22 "FULL project lab01 8432-22" map[Description:[a one-stop gateway for economics, and business] Programme:[eLib]]`,
		`whois++://h/handle=SERVICES "FULL SERVICES lab01 SERVICES" map[Text:[one` + "\n\n" + `  two]]`,
		`whois++://h/handle=8432-23 "HANDLE PROJECT lab01 8432-23" map[]`,
		`whois++://h/handle=8432-24 "HANDLE PROJECT lab01 8432-24" map[]`,
		` "SUMMARY lab01" map[Matches:[23]]`,
		`whois++://two.example:8237/gate "server-to-ask two.example" map[]`,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestRealServer compares with Debian's whois client, at the lab's own server.
func TestRealServer(t *testing.T) {
	addr := lab.Server(t, "whois")
	host, port, _ := strings.Cut(addr, ":")
	for _, q := range []string{"lab.test", "alice", "long"} {
		want, err := lab.Client(t, "whois", "-h", host, "-p", port, q).Output()
		if err != nil {
			t.Fatal(err)
		}
		_, body, err := get(t, "whois://"+addr+"/"+q, nil)
		if got := strings.ReplaceAll(body, "\r\n", "\n"); err != nil || got != string(bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))) {
			t.Errorf("%s: got %d bytes, %v, want %d", q, len(got), err, len(want))
		}
	}
	if _, _, err := get(t, "whois://"+addr+"/nobody.test", nil); fetch.KindOf(err) != fetch.ErrNotFound {
		t.Errorf("nobody.test: got %v, want kind %s", err, fetch.ErrNotFound)
	}
	if _, body, err := get(t, "whois++://"+addr+"/template=user;name=alice", nil); err != nil ||
		!strings.Contains(body, " Name: Alice Lab\r\n") {
		t.Errorf("got %q, %v, want the template of Alice Lab", body, err)
	}
}

// FuzzText checks that every failure has a kind, and that a referral names a host and keeps the query.
func FuzzText(f *testing.F) {
	f.Add("refer: whois.pir.org\r\n", "example.org")
	f.Add("ReferralServer: rwhois://h:4321/x\nRegistrar WHOIS Server: a%0d%0ab", "a b/c?d#e%")
	f.Add("%ERROR:101: no entries found\n", "x")
	f.Fuzz(func(t *testing.T, text, query string) {
		if err := failure(text); err != nil && fetch.KindOf(err) == "" {
			t.Fatalf("%q: got %v, want an error with a kind", text, err)
		}
		p := &fetch.Plan{URI: uri.MustParse("whois://w.example/x"), Addr: "w.example:43"}
		for _, r := range (&request{line: query}).referrals(p, wholeLines(text)) {
			if r.URI.Host() == "" {
				t.Fatalf("%q has no host", r.URI)
			}
			if r.URI.Scheme() == "whois" && uri.Escaped(strings.TrimPrefix(string(r.URI.Path()), "/")).Decode() != query &&
				!strings.Contains(text, "://") {
				t.Fatalf("%q has another query than %q", r.URI, query)
			}
		}
	})
}

// FuzzTemplates checks that entries have kinds, and that servers to ask get the same query.
func FuzzTemplates(f *testing.F) {
	f.Add("# FULL USER A B\r\n Name: x\r\n+ y\r\n- z\r\n# END\r\n")
	f.Add("# SERVER-TO-ASK A\r\n Server-Handle: B\r\n Host-Name: h\r\n Host-Port: 7070\r\n Host-Name: ::1\r\n# END\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		l := lister{uri.MustParse("whois++://h/x"), "name=a b", 1 << 16}
		for e, err := range l.entries(strings.NewReader(text)) {
			if err != nil {
				if fetch.KindOf(err) == "" && len(text) < 60000 {
					t.Fatalf("%q: got %v, want an error with a kind", text, err)
				}
				return
			}
			if e.Kind == "" || e.Kind == fetch.KindSearch && !strings.HasSuffix(e.URI.String(), "/name=a%20b") {
				t.Fatalf("got %+v, want a kind, and the query in the URI of a server", e)
			}
		}
	})
}
