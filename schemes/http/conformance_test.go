package http_test

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/http"
)

func TestConformance(t *testing.T) {
	fetchtest.Test(t, http.Schemes(nil)[0],
		fetchtest.Case{URI: "http://www.example/about.txt", File: "testdata/dialogues/text.txt",
			Body: "All about us.\n.dotted\nend\n", End: fetch.EndDeclared},
		fetchtest.Case{URI: "http://www.example/chunked", File: "testdata/dialogues/chunked.txt", Body: "one\ntwo\n", End: fetch.EndTerminated},
		fetchtest.Case{URI: "http://www.example/none", File: "testdata/dialogues/missing.txt", Err: fetch.ErrNotFound},
		fetchtest.Case{URI: "http://alice:sesame%20open@www.example/secret", File: "testdata/dialogues/secret.txt", Body: "treasure\n"},
		fetchtest.Case{Name: "HTTP/1.0", URI: "http://www.example/old", Body: "old\r\n", End: fetch.EndClosed, Script: `
C: GET /old HTTP/1.1
C: Host: www.example
C: User-Agent: deref
C: Accept: */*
C:
S: HTTP/1.0 200 OK
S: Content-Type: text/plain
S:
S: old
*: [end]
`},
	)
}

// Two requests share one connection. The dialogue was written by `deref --record`.
func TestConformanceKeptConnection(t *testing.T) {
	fetchtest.Test(t, http.Schemes(nil)[0],
		fetchtest.Case{URI: "http://www.example/about.txt", File: "testdata/dialogues/twice.txt", Times: 2, Body: "All about us.\n"})
}

// Within TLS, a close ends the document only with close_notify (RFC 9112 section 9.8).
func TestConformanceTLS(t *testing.T) {
	fetchtest.Test(t, http.Schemes(nil)[1],
		fetchtest.Case{URI: "https://www.example/x", Body: "hello", End: fetch.EndClosed, Script: `
*: [connected to 192.0.2.1:443]
*: [TLS]
C: GET /x HTTP/1.1
C: Host: www.example
C: User-Agent: deref
C: Accept: */*
C:
S: HTTP/1.1 200 OK
S: Content-Type: text/plain
S: Connection: close
S:
S: hello\
*: [end]
`})
}
