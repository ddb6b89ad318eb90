package wais

import (
	"bytes"
	"io"
	"net"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/wais/internal/z3950"
	"example.org/deref/schemes/wais/waistest"
)

// lab is the site of the traces. It contains the transmitted documents unchanged. In place of others it has text of the same size with the
// words that searches found in them.
func lab(t *testing.T) fstest.MapFS {
	text := func(name string, n int) *fstest.MapFile {
		var b []byte
		for _, apdu := range traceAPDUs(t, name, serverSide) {
			r, err := z3950.ParseResponse(apdu)
			if err != nil || len(r.Texts) == 0 {
				continue
			}
			if n > 0 {
				n--
				continue
			}
			b = append(b, r.Texts[0].Text...)
			if name != "retrieve-long" {
				break
			}
		}
		return &fstest.MapFile{Data: b}
	}
	padded := func(f *fstest.MapFile, size int) *fstest.MapFile {
		if n := size - len(f.Data); n > 0 {
			f.Data = append(f.Data, strings.Repeat(".", n-1)+"\n"...)
		}
		return f
	}
	made := func(size int, s string) *fstest.MapFile { return padded(&fstest.MapFile{Data: []byte(s)}, size) }
	multi := text("retrieve-multi-types", 0)
	multi.Data = append(multi.Data, "indmill.\n"...) // 60 of 69 bytes were requested
	return fstest.MapFS{
		"docs/tides.txt":      text("retrieve-short", 0),
		"docs/latin.txt":      text("search-latin1", 0),
		"docs/logbook.txt":    text("retrieve-long", 0),
		"docs/checker.gif":    text("retrieve-binary", 0),
		"docs/multi.TEXT":     multi,
		"docs/multi.HTML":     padded(text("retrieve-multi-types", 1), 80),
		"docs/multi.GIF":      padded(text("retrieve-multi-types", 2), 80),
		"docs/orchard.txt":    made(146, "Pruning an old orchard\n\nPrune apple trees in winter.\n"),
		"docs/beekeeping.txt": made(153, "Beekeeping through the year\n\nhoney and bees in spring and summer; winter\n"),
		"docs/bread.txt":      made(156, "A slow loaf of rye bread\n\n.\n"),
		"docs/article.news":   made(314, "From: warden@exa\nDate: Mon, 14 Mar 1994 10:00:00 GMT\n\n\n\n\n\n\nmooring\n"),
		"docs/page.html":      made(114, "granite\n"),
	}
}

func startLab(t *testing.T) *loopback.Server {
	database := func(name string, files ...string) waistest.Database {
		return waistest.Database{Name: name, Files: files, Maintainer: "keeper@localhost", Keywords: []string{"tides", "weather"},
			Description: "Test database " + name + ", built for protocol tests.\nIt says \"hello\" in quotes.\n"}
	}
	demo := database("demo", "docs/orchard.txt", "docs/beekeeping.txt", "docs/logbook.txt", "docs/latin.txt", "docs/checker.gif",
		"docs/tides.txt", "docs/bread.txt")
	oneLine, news, urls := database("lines", "docs/tides.txt"), database("news", "docs/article.news"), database("urls", "docs/page.html")
	oneLine.Lines, urls.Type = true, "URL"
	news.Headline = func(string, []byte) string { return "warden@exa Re: Mooring rings for small craft" }
	urls.Headline = func(string, []byte) string { return "http://www.example.org/pub/page.html" }
	s := waistest.NewServer(lab(t), &waistest.Options{
		Databases: []waistest.Database{demo, database("html"), oneLine, database("multi", "docs/multi.TEXT", "docs/multi.HTML", "docs/multi.GIF"), news,
			urls},
		Host: "localhost:21010", At: "localhost:210", Folder: "db/", ID: "LS6", Name: "University of Dortmund Informatik VI",
		Version: "2.2.10",
	})
	t.Cleanup(s.Close)
	return s
}

// TestTheirClientWithOurServer: every client side gets the responses that freeWAIS sent, except for scores and the text of catalogs. The
// codec encodes a parsed message to the same bytes (TestZ3950Traces), so comparing parsed messages compares their bytes.
func TestTheirClientWithOurServer(t *testing.T) {
	srv := startLab(t)
	for _, name := range traceNames(t) {
		t.Run(name, func(t *testing.T) {
			want := traceAPDUs(t, name, serverSide)
			c, err := net.Dial("tcp", srv.Addr)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			c.SetDeadline(time.Now().Add(10 * time.Second))
			in := z3950.NewReader(c, 1<<20)
			for i, apdu := range traceAPDUs(t, name, clientSide) {
				c.Write(z3950.Frame(apdu))
				_, got, err := in.Next()
				switch {
				case i == len(want) && err == io.EOF: // freeWAIS has crashed
				case i >= len(want) || err != nil:
					t.Fatalf("answer %d of %d: %v", i, len(want), err)
				default:
					compare(t, got, want[i])
				}
			}
		})
	}
	crashes := 0
	for _, l := range srv.Transcript() {
		if strings.HasPrefix(l, "crash") {
			crashes++
		}
	}
	if crashes != 1 {
		t.Errorf("%d crashes, not that of retrieve-missing-db alone: %q", crashes, srv.Transcript())
	}
}

func compare(t *testing.T, got, want []byte) {
	t.Helper()
	a, err := z3950.ParseResponse(got)
	b, err2 := z3950.ParseResponse(want)
	if err != nil || err2 != nil {
		if !bytes.Equal(got, want) {
			t.Errorf("%q\nwant\n%q", got, want)
		}
		return
	}
	for i := range min(len(a.Hits), len(b.Hits)) {
		x, y := &a.Hits[i], &b.Hits[i]
		if (x.Score > 0) == (y.Score > 0) {
			x.Score = y.Score
		}
		if id, _ := z3950.ParseDocID(y.DocID); strings.HasSuffix(id[1].Value, ".cat") {
			x.Length, x.Lines = y.Length, y.Lines
		}
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%+v\nwant\n%+v", a, b)
	}
}
