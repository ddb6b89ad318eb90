package main

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/cmd/internal/testservers"
	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/tofu"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// A cutting is a way in which a document ends early, and what archives say about it (ISO 28500:2017 section 5.13).
type cutting struct {
	name   string
	reason string // WARC-Truncated
	kinds  string // of the outcome
	faults fetchtest.Faults
	limit  bool          // half of the document
	idle   time.Duration // Timeouts.Idle
	leaves bool          // the reader closes the document
}

// cuttings returns all ways. at is a byte in the middle of the document, which the server sends on connection conn.
func cuttings(conn int, at int64) []cutting {
	return []cutting{
		{name: "the server resets the connection", reason: "disconnect", kinds: "connection truncated transfer",
			faults: fetchtest.Faults{Conn: conn, CutAt: at, Reset: true, Down: true}},
		{name: "the server is silent", reason: "time", kinds: "timeout", faults: fetchtest.Faults{Conn: conn, StallAt: at, Down: true}, idle: 300 * time.Millisecond},
		{name: "the document exceeds the limit", reason: "length", kinds: "limit", limit: true},
		{name: "the user interrupts", reason: "unspecified", kinds: "canceled", faults: fetchtest.Faults{Conn: conn, StallAt: at}},
		{name: "the reader has seen enough", reason: "unspecified", kinds: "unread whole", leaves: true},
	}
}

// A cutSubject is a document or listing that is cut.
type cutSubject struct {
	u    uri.URI
	o    *fetch.Options
	want *plainRecord // of the whole document
	seen *sync.Map    // "ftp length"
}

// cutReasons are the reasons that the records of parts have, by scheme. The others leave no part: datagrams cannot be cut, LDAP, SNMP and tn3270
// send a document in one message, whois reads all of a text to find referrals, and WAIS refuses a document whose announced length is above the limit.
// Then there is only the conversation with the error.
const cutReasons = `
	http     disconnect length time unspecified
	ftp      disconnect length time unspecified
	gopher   disconnect length time unspecified
	news     disconnect length time unspecified
	dict     disconnect length time unspecified
	finger   disconnect length time unspecified
	gemini   disconnect length time unspecified
	nex      disconnect length time unspecified
	spartan  disconnect length time unspecified
	telnet   disconnect length time unspecified
	rlogin   disconnect length time unspecified
	cso      disconnect length time unspecified
	imap     disconnect length time unspecified
	prospero length time unspecified
	ldap     length unspecified
	snmp     length unspecified
	whois    length unspecified
	tn3270   length unspecified
	wais     unspecified
`

// TestTruncatedCapturesOfEveryScheme ends documents and listings of every scheme early. The record of what was received tells why, and the
// archive never answers with the part as if it were the whole.
func TestTruncatedCapturesOfEveryScheme(t *testing.T) {
	long(t, "all servers")
	site := longSite(t)
	servers, err := testservers.Start(site, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer testservers.Stop(servers)
	sights, done, err := testservers.Documents(site, servers)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	var all []*cutSubject
	seen := &sync.Map{}
	for _, s := range sights {
		if u := uri.MustParse(s.URI); !s.Search && u.Scheme() != "file" && u.Scheme() != "data" {
			all = append(all, &cutSubject{u: u, o: s.Options, seen: seen})
		}
	}
	directories := map[string]string{"prospero": "/AFTP/", "snmp": "//1.3.6.1.4.1.32473.*"}
	for _, s := range servers {
		if !slices.Contains(strings.Fields("smtp wais whois telnet rlogin tn3270"), s.Scheme) {
			all = append(all, &cutSubject{u: uri.MustParse(s.URL + cmp.Or(directories[s.Scheme], "/")), seen: seen})
		}
	}
	free := make(chan struct{}, maxSchemes)
	var running sync.WaitGroup
	for _, x := range all {
		free <- struct{}{}
		running.Go(func() {
			defer func() { <-free }()
			t.Run(x.u.Scheme(), x.testAll)
		})
	}
	running.Wait()
	for scheme, reasons := range reasonsOfSchemes() {
		for _, reason := range reasons {
			if _, ok := seen.Load(scheme + " " + reason); !ok {
				t.Errorf("%s: got no record of a part with WARC-Truncated %s, want one", scheme, reason)
			}
		}
	}
}

// reasonsOfSchemes returns the rows of cutReasons.
func reasonsOfSchemes() map[string][]string {
	list := map[string][]string{}
	for line := range strings.Lines(cutReasons) {
		if words := strings.Fields(line); len(words) > 0 {
			list[words[0]] = words[1:]
		}
	}
	return list
}

// leaves reports whether the document leaves a record of its part if it is cut for a reason. Half of a gemini menu does not: it is in one TLS
// record, of which no part can be read.
func (x *cutSubject) leaves(reason string) bool {
	return x.isStreamed() || x.u.Scheme() != "gemini" && slices.Contains(reasonsOfSchemes()[x.u.Scheme()], reason)
}

// longSite returns the sample site with longer documents, so that their middle is neither in a header nor in one packet with the rest.
func longSite(t *testing.T) fs.FS {
	t.Helper()
	site := testdata.Site()
	long := fstest.MapFS{}
	err := fs.WalkDir(site, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(site, name)
		switch {
		case strings.HasPrefix(name, "history/"), strings.HasPrefix(name, "names/"):
			b = bytes.Repeat(b, 20_000/(len(b)+1)+1)
		case strings.HasPrefix(name, "news/"), strings.HasSuffix(name, "plain.eml"):
			b = append(b, bytes.Repeat([]byte("another line of the text\n"), 800)...)
		}
		long[name] = &fstest.MapFile{Data: b}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return long
}

// testAll archives the whole document, and then cuts it in every way.
func (x *cutSubject) testAll(t *testing.T) {
	relay := fetchtest.NewRelay(fetchtest.Faults{})
	defer relay.Close()
	a := x.archived(t, relay, cutting{})
	x.want = a.document
	if x.want == nil || x.want.get("WARC-Truncated") != "" {
		t.Fatalf("%s: the whole document: got %v, %+v; want one record that is not truncated", x.u, a.err, a.document)
	}
	conn, size := 1, int64(0)
	for n := 1; n <= relay.Connections(); n++ {
		if b := relay.Bytes(n); b >= int64(len(x.want.block)) && (size == 0 || b < size) || b >= size && size < int64(len(x.want.block)) {
			conn, size = n, b
		}
	}
	for _, c := range cuttings(conn, size-int64(len(x.want.block))/2) {
		relay := fetchtest.NewRelay(c.faults)
		a := x.archived(t, relay, c)
		relay.Close()
		for c.idle > 0 && c.idle < time.Minute && a.document == nil && x.leaves(c.reason) {
			c.idle *= 4 // on a slow machine, what is before the document takes longer
			relay = fetchtest.NewRelay(c.faults)
			a = x.archived(t, relay, c)
			relay.Close()
		}
		if x.compare(t, c, a) {
			x.seen.Store(x.u.Scheme()+" "+c.reason, true)
		}
	}
}

// compare compares what is in the archive of a document that was cut. It reports whether there is a record of the part.
func (x *cutSubject) compare(t *testing.T, c cutting, a archivedCut) bool {
	t.Helper()
	switch {
	case a.document == nil && a.outcome.Opened:
		t.Errorf("%s: %s: got no record of the document, want one with the part", x.u, c.name)
	case a.document == nil && !slices.Contains(strings.Fields(c.kinds), a.outcome.Kind):
		t.Errorf("%s: %s: got the outcome %s, want %s", x.u, c.name, a.outcome, c.kinds)
	case a.document == nil:
	case len(a.document.block) == len(x.want.block) && a.document.get("WARC-Truncated") == "": // all of it had arrived
	case a.document.get("WARC-Truncated") != c.reason || len(a.document.block) > len(x.want.block):
		t.Errorf("%s: %s: got WARC-Truncated %q and %d bytes, want %q and at most %d", x.u, c.name, a.document.get("WARC-Truncated"),
			len(a.document.block), c.reason, len(x.want.block))
	case a.entries != nil && a.entries.get("WARC-Truncated") != c.reason:
		t.Errorf("%s: %s: got entries with WARC-Truncated %q, want %q", x.u, c.name, a.entries.get("WARC-Truncated"), c.reason)
	case a.again == nil:
		t.Errorf("%s: %s: the archive returned a whole document, want an error", x.u, c.name)
	default:
		return true
	}
	return false
}

// An archivedCut is what an archive has of one attempt.
type archivedCut struct {
	document, entries *plainRecord // nil if there are none
	outcome           *warc.Outcome
	err, again        error // of the server, and of the archive
}

// archived retrieves the document through a relay, and reads the archive.
func (x *cutSubject) archived(t *testing.T, relay *fetchtest.Relay, c cutting) (a archivedCut) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.warc.gz")
	client := fetch.New(schemes.All(nil)...)
	client.FirstUse = new(tofu.Store).Check
	end := record(t, client, name, nil)
	relay.Attach(client)
	if c.limit {
		client.Limits.Document = int64(len(x.want.block)) / 2
	}
	client.Timeouts.Idle = c.idle
	a.err = x.get(t, client, c)
	client.Close()
	end()
	a.outcome = &warc.Outcome{}
	for _, r := range grammar(t, name) {
		switch kind := r.get("WARC-Type"); {
		case r.get("Content-Type") == warc.DialogueType:
			a.outcome = warc.ParseOutcome(string(r.block))
		case kind == "resource" || kind == "response":
			a.document = r
		case kind == "conversion":
			a.entries = r
		}
	}
	client = archiveClient(t, name)
	defer client.Close()
	_, _, a.again = read(t.Context(), client, x.u, x.o)
	return a
}

// get reads the document as far as c lets it.
func (x *cutSubject) get(t *testing.T, client *fetch.Client, c cutting) error {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if c.kinds == "canceled" && !x.isStreamed() {
		cancel()
	}
	o := x.o
	if name := x.u.Scheme(); c.idle > 0 && (name == "telnet" || name == "rlogin") { // silence must not end the first screen before Timeouts.Idle does
		o = &fetch.Options{Set: map[string][]string{name + ".idle": {"60"}}}
	}
	d, err := client.Get(ctx, x.u, o)
	if d != nil {
		defer d.Body.Close()
	}
	if err != nil {
		return err
	}
	if _, err := io.ReadFull(d.Body, make([]byte, 1)); err != nil || c.leaves {
		return err
	}
	if c.kinds == "canceled" {
		cancel()
	}
	_, err = io.Copy(io.Discard, d.Body)
	return err
}

// isStreamed reports whether a part of the document can be read before the rest arrives.
func (x *cutSubject) isStreamed() bool {
	return (x.want == nil || len(x.want.block) > 1000) && !slices.Contains(strings.Fields("snmp prospero ldap telnet rlogin tn3270 whois wais"), x.u.Scheme())
}
