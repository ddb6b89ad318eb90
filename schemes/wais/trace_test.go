package wais

import (
	"bytes"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/wais/internal/z3950"
	"example.org/deref/uri"
)

// replay is a server that sends a trace's server side, one frame for each of the client's, and records the client's frames. When it has no
// frame left, it closes. Init is answered by the frame that answers it, on every connection, and not kept.
type replay struct {
	addr    string
	mu      sync.Mutex
	said    [][]byte
	init    []byte
	answers [][]byte
}

func play(t testing.TB, answers [][]byte) *replay {
	t.Helper()
	p := &replay{answers: answers}
	if answers[0][2] == z3950.PDUInitResponse {
		p.init, p.answers = answers[0], answers[1:]
	}
	p.addr = loopback.ForTest(t, func(c net.Conn) {
		for r := z3950.NewReader(c, maxFrame); ; {
			_, apdu, err := r.Next()
			if err != nil {
				return
			}
			answer, ok := p.answer(apdu)
			if !ok {
				return
			}
			c.Write(z3950.Frame(answer))
		}
	})
	return p
}

func (p *replay) answer(apdu []byte) (answer []byte, ok bool) {
	if apdu[2] == z3950.PDUInit {
		return p.init, p.init != nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.said = append(p.said, bytes.Clone(apdu))
	if len(p.answers) == 0 {
		return nil, false
	}
	answer, p.answers = p.answers[0], p.answers[1:]
	return answer, true
}

func (p *replay) frames() [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said
}

// A trip is a request that should send the same bytes as part of a trace's client. Its URI is wais://HOST and path.
type trip struct {
	path string
	o    *fetch.Options
	kind fetch.Kind // of the error
	want string     // a short document, or the titles of the entries
}

const (
	tidesID   = "1=localhost%3A21010;2=db/demo;3=0%20148%20docs/tides.txt;4=localhost%3A21010;5=db/demo;6=0%20148%20docs/tides.txt;7=%00;"
	logbookID = "1=localhost%3A21010;2=db/demo;3=0%20123015%20docs/logbook.txt;4=localhost%3A21010;5=db/demo;6=0%20123015%20docs/logbook.txt;7=%00;"
	multiID   = "1=localhost%3A21010;2=db/multi;3=0%2069%20docs/multi.TEXT;4=localhost%3A21010;5=db/multi;6=0%2069%20docs/multi.TEXT;7=%00;"
	linesID   = "1=localhost%3A21010;2=db/lines;3=22%2090%20docs/tides.txt;4=localhost%3A21010;5=db/lines;6=22%2090%20docs/tides.txt;7=%00;"
	gifID     = "1=localhost%3A21010;2=db/demo;3=0%20331%20docs/checker.gif;4=localhost%3A21010;5=db/demo;6=0%20331%20docs/checker.gif;7=%00;"
	latinID   = "1=localhost%3A21010;2=db/demo;3=0%20121%20docs/latin.txt;4=localhost%3A21010;5=db/demo;6=0%20121%20docs/latin.txt;7=%00;"
	noneID    = "1=localhost%3A21010;2=db/demo;3=0%20148%20docs/none.txt;7=%00;"
	tides     = "Reading a tide table\n\nHeights are given above chart datum. Add one hour in summer. Spring\ntides follow the full and " +
		"the new moon by about two days.\n"
)

func octets(from, to int64) *fetch.Options {
	return &fetch.Options{Range: fetch.Range{From: from, To: to}}
}

// A traced is a trace and the URIs for which our client sends the same bytes.
type traced struct {
	name  string
	trips []trip
	same  int // how many requests of the trace our client must send, too; the others are never sent by our client
}

func trips() []traced {
	const all = -1
	like := func(uri string, more ...string) *fetch.Options {
		return set(append([]string{setLike, uri}, more...)...)
	}
	return []traced{
		{"search-1word", []trip{{path: "/demo?tide", want: "Reading a tide table"}}, all},
		{"search-3words", []trip{{path: "/demo?winter+pruning+apple", want: "Pruning an old orchard|Beekeeping through the year"}}, all},
		{"search-nohits", []trip{{path: "/demo?xyzzyq"}}, all},
		// our client then requests the source file
		{"search-help", []trip{{path: "/demo?%3F", kind: fetch.ErrConnection, want: "Information on database: demo"}}, all},
		{"search-info", []trip{{path: "/INFO?tides", kind: fetch.ErrConnection, want: "demo.src"}}, all}, // likewise
		{"search-multi", []trip{{path: "/multi?windmill", want: "A text in three forms"}}, all},
		{"search-latin1", []trip{{path: "/demo?cr%E8me", want: "Café à la carte: un menú"}, {path: "/demo/TEXT/121/" + latinID}}, all},
		{"search-news", []trip{{path: "/news?mooring", want: "warden@exa Re: Mooring rings for small craft"}}, all},
		{"search-url", []trip{{path: "/urls?granite", want: "http://www.example.org/pub/page.html"}}, all},
		{"retrieve-short", []trip{{path: "/demo?tide", want: "Reading a tide table"}, {path: "/demo/TEXT/148/" + tidesID, want: tides}}, all},
		{"retrieve-long", []trip{{path: "/demo?lighthouse", want: "A very long logbook of the lighthouse tender"},
			{path: "/demo/TEXT/123015/" + logbookID, o: set(setChunk, "10000")}}, all},
		{"search-missing-db", []trip{{path: "/nosuch?tide", kind: fetch.ErrNotFound}}, all},
		{"search-noinit", []trip{{path: "/demo?honey+bees+spring+summer", o: set(setMax, "200"),
			want: "Beekeeping through the year|Reading a tide table"}}, all},
		{"retrieve-binary", []trip{{path: "/demo/GIF/331/" + gifID}}, all},
		{"retrieve-lines", []trip{{path: "/demo/TEXT/" + tidesID, o: set(setLines, "0-2"), want: tides[:22]},
			{path: "/demo/TEXT/" + tidesID, o: set(setLines, "2-4"), want: tides[22:]}}, all},
		{"retrieve-offset-doc", []trip{{path: "/lines/TEXT/68/" + linesID, want: tides[22:90]}}, all},
		{"retrieve-multi-types", []trip{
			{path: "/multi/TEXT,HTML,GIF/60/" + multiID, want: "A text in three forms\n\nThis is the plain text form about a w"},
			{path: "/multi/TEXT,HTML,GIF/60/" + multiID, o: &fetch.Options{Accept: []string{"text/html"}, Range: fetch.Range{To: 60}},
				want: "<html><head><title>Windmill</title></head><body><p>The HTML "},
			{path: "/multi/TEXT,HTML,GIF/60/" + multiID, o: &fetch.Options{Accept: []string{"GIF"}, Range: fetch.Range{To: 60}}},
		}, all},
		{"retrieve-src", []trip{{path: "/demo/WSRC/288/2=demo;3=0%200%20db/demo.src;7=%00;"}}, all},
		{"range-partly-out", []trip{{path: "/demo/TEXT/" + tidesID, o: octets(100, 1000), want: tides[100:]}}, all},
		{"range-at-end", []trip{{path: "/demo/TEXT/" + tidesID, o: octets(148, 200), kind: fetch.ErrRange}}, all},
		{"range-out", []trip{{path: "/demo/TEXT/" + tidesID, o: octets(1000, 2000), kind: fetch.ErrRange}}, all},
		{"chunk-loop", []trip{{path: "/demo/TEXT/" + logbookID, o: set(setChunk, "40000")}}, 4},       // it sends one more request after the end
		{"too-large", []trip{{path: "/demo/TEXT/123015/" + logbookID, kind: fetch.ErrConnection}}, 0}, // after the empty frame it requests less
		{"missing-doc", []trip{{path: "/demo/TEXT/10/" + noneID, kind: fetch.ErrNotFound}}, all},
		{"retrieve-missing-db", []trip{{path: "/nosuch/TEXT/148/" + tidesID, kind: fetch.ErrConnection}}, all},
		{"init-refused", []trip{{path: "/demo?tide", kind: fetch.ErrRefused}}, 0}, // it sends only Init
		{"present", []trip{{path: "/demo?tide", kind: fetch.ErrProtocol}}, 0},
		{"feedback", []trip{{path: "/demo", o: like("wais://h/demo/TEXT/" + tidesID), kind: fetch.ErrRefused}}, all},
		{"feedback-lines", []trip{{path: "/demo", o: like("wais://h/demo/TEXT/" + tidesID + "#lines=0-3"), kind: fetch.ErrRefused}}, all},
		{"next-doc", []trip{{path: "/demo?foo", o: like("wais://h/demo/WAIS_NEXT/"+tidesID, setMax, "1"), want: "A slow loaf of rye bread"}},
			all},
	}
}

// TestOurClientWithTheirServer checks that our client interprets every server side, and sends what their client sent.
func TestOurClientWithTheirServer(t *testing.T) {
	if n := len(traceNames(t)); n != len(trips()) {
		t.Errorf("got %d trips, want one for each of %d traces", len(trips()), n)
	}
	for _, tr := range trips() {
		t.Run(tr.name, func(t *testing.T) {
			said := traceAPDUs(t, tr.name, clientSide)
			init := said[0][2] == z3950.PDUInit
			if init {
				said = said[1:]
			}
			srv := play(t, traceAPDUs(t, tr.name, serverSide))
			c := fetch.New(Scheme())
			defer c.Close()
			for _, trip := range tr.trips {
				trip.take(t, c, "wais://"+srv.addr, init)
			}
			if tr.same >= 0 {
				said = said[:tr.same]
			}
			ours := srv.frames()
			if len(ours) < len(said) {
				t.Fatalf("our client sent %d frames, want at least %d", len(ours), len(said))
			}
			for i := range said {
				if !bytes.Equal(ours[i], said[i]) {
					t.Errorf("frame %d: got\n%q, want\n%q", i, ours[i], said[i])
				}
			}
		})
	}
}

func (p trip) take(t *testing.T, c *fetch.Client, at string, init bool) {
	t.Helper()
	o := p.o
	if o == nil {
		o = &fetch.Options{}
	}
	if init {
		if o.Set == nil {
			o.Set = map[string][]string{}
		}
		o.Set[setInit] = []string{"yes"}
	}
	d, err := c.Get(t.Context(), uri.MustParse(at+p.path), o)
	if err != nil {
		if fetch.KindOf(err) != p.kind {
			t.Errorf("%s: got %v, want kind %s", p.path, err, p.kind)
		}
		return
	}
	defer d.Body.Close()
	got := ""
	if d.Type == fetch.ListingType {
		got, err = titles(d)
	} else {
		var b []byte
		b, err = io.ReadAll(d.Body)
		got = string(b)
	}
	if fetch.KindOf(err) != p.kind {
		t.Errorf("%s: got %v, want kind %q", p.path, err, p.kind)
	}
	if (d.Type == fetch.ListingType || p.want != "") && got != p.want {
		t.Errorf("%s: got %q, want %q", p.path, got, p.want)
	}
}

func titles(d *fetch.Document) (string, error) {
	var list []string
	for e, err := range d.Entries {
		if err != nil {
			return strings.Join(list, "|"), err
		}
		list = append(list, e.Title)
	}
	return strings.Join(list, "|"), nil
}
