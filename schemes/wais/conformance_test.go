package wais

import (
	"encoding/base64"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/wais/internal/traces"
	"example.org/deref/schemes/wais/internal/z3950"
)

// script makes a dialogue of APDUs, the client's first, in turn; a text among them is a line of its own.
func script(turns ...any) string {
	b, dir := &strings.Builder{}, "C= "
	for _, turn := range turns {
		switch v := turn.(type) {
		case string:
			b.WriteString(v + "\n")
		case []byte:
			b.WriteString(dir + base64.StdEncoding.EncodeToString(z3950.Frame(v)) + "\n")
			dir = map[string]string{"C= ": "S= ", "S= ": "C= "}[dir]
		}
	}
	return b.String()
}

const conformID = "\x02\x02db\x03\x01x"

func ask(from, to int) []byte {
	return z3950.NewRetrieval("db", z3950.Request{DocID: conformID, Type: "TEXT", Unit: z3950.Byte, Start: from, End: to}).Append(nil)
}

func answer(text string, said ...z3950.Diagnostic) []byte {
	r := &z3950.Response{ResultSetStatus: -1, ReferenceID: "3", Diagnostics: said}
	if text != "" {
		r.Texts = []z3950.Text{{DocID: conformID, Text: []byte(text)}}
	}
	return r.Append(nil)
}

func diagnostic(code, text string) z3950.Diagnostic {
	return z3950.Diagnostic{Code: code, Text: text, Surrogate: 1}
}

func TestConformance(t *testing.T) {
	trace := func(name string, i int) (c, s []byte) {
		return traces.APDUs(t, name, traces.Client)[i], traces.APDUs(t, name, traces.Server)[i]
	}
	search, found := trace("search-3words", 1)
	help, offered := trace("search-help", 1)
	source, described := trace("retrieve-src", 1)
	missing, no := trace("search-missing-db", 1)
	init := (&z3950.Init{Options: z3950.CanSearch, PreferredSize: frameSize, MaximumSize: frameSize}).AppendInit(nil)
	accepted := traces.APDUs(t, "search-help", traces.Server)[0]
	refused := traces.APDUs(t, "init-refused", traces.Server)[0]
	long := strings.Repeat("0123456789", 20)
	small := *set(setChunk, "100")
	fetchtest.Test(t, Scheme(),
		fetchtest.Case{Name: "search", URI: "wais://h/demo?winter+pruning+apple", Type: fetch.ListingType,
			Script: script("*: [connected to 192.0.2.1:210]", search, found)},
		fetchtest.Case{Name: "description", URI: "wais://h/demo", Type: "application/x-wais-source", End: fetch.EndDeclared,
			Script: script(help, offered, "*: [if "+ifSource+"]", source, described)},
		fetchtest.Case{Name: "search that finds a source", URI: "wais://h/demo?%3F",
			Script: script(help, offered, "*: [if "+ifSource+"]", source, described)},
		fetchtest.Case{Name: "no database", URI: "wais://h/nosuch?tide", Err: fetch.ErrNotFound, Script: script(missing, no)},
		fetchtest.Case{Name: "chunks", URI: "wais://h/db/TEXT/x", Options: small, Body: long + "end", Type: "text/plain",
			End:    fetch.EndTerminated,
			Script: script(ask(0, 100), answer(long[:100]), ask(100, 200), answer(long[100:]), ask(200, 300), answer("end"))},
		fetchtest.Case{Name: "chunks to the end", URI: "wais://h/db/TEXT/x", Options: small, Body: long, End: fetch.EndTerminated,
			Script: script(ask(0, 100), answer(long[:100]), ask(100, 200), answer(long[100:]), ask(200, 300),
				answer("", diagnostic("SF", "Request out of range")))},
		fetchtest.Case{Name: "length in the URI", URI: "wais://h/db/TEXT/150/2=db;3=x;", Options: small, Body: long[:150], End: fetch.EndDeclared,
			Script: script(ask(0, 100), answer(long[:100]), ask(100, 150), answer(long[100:150]))},
		fetchtest.Case{Name: "shorter than said", URI: "wais://h/db/TEXT/150/2=db;3=x;", Options: small, Err: fetch.ErrTruncated,
			Script: script(ask(0, 100), answer(long[:100]), ask(100, 150), answer("short"))},
		fetchtest.Case{Name: "missing document", URI: "wais://h/db/TEXT/x", Options: small, Err: fetch.ErrNotFound,
			Script: script(ask(0, 100), answer("", diagnostic("SF", "Missing DocID in request")))},
		fetchtest.Case{Name: "void frame", URI: "wais://h/db/TEXT/x", Options: small, Err: fetch.ErrProtocol,
			Script: script(ask(0, 100), []byte{})},
		fetchtest.Case{Name: "init", URI: "wais://h/demo?winter+pruning+apple", Options: *set(setInit, "yes"),
			Script: script(init, accepted, search, found)},
		fetchtest.Case{Name: "init refused", URI: "wais://h/demo?winter", Options: *set(setInit, "yes"), Err: fetch.ErrRefused,
			Script: script(init, refused)},
		fetchtest.Case{Name: "forwarding", URI: "wais://h/db@other.example?x", Err: fetch.ErrRefusedURL},
		fetchtest.Case{Name: "two chunks twice", URI: "wais://h/db/TEXT/x", Options: small, Times: 2,
			Script: script(ask(0, 100), answer(long[:100]), ask(100, 200), answer("end"), ask(0, 100), answer(long[:100]), ask(100, 200),
				answer("end"))},
	)
}
