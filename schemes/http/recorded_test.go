package http_test

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/http"
)

// Two requests share one connection. The dialogue was written by `deref --record`.
func TestConformanceKeptConnection(t *testing.T) {
	fetchtest.Test(t, http.Schemes(nil)[0],
		fetchtest.Case{URI: "http://www.example/about.txt", File: "testdata/dialogues/twice.txt", Times: 2, Body: "All about us.\n"})
}

// Within TLS, a close ends the document only with close_notify (RFC 9112 section 9.8).
func TestConformanceTLS(t *testing.T) {
	const ask = `
*: [connected to 192.0.2.1:443]
*: [TLS]
C: GET /x HTTP/1.1
C: Host: www.example
C: User-Agent: deref
C: Accept: */*
C:
`
	fetchtest.Test(t, http.Schemes(nil)[1],
		fetchtest.Case{Name: "counted", URI: "https://www.example/x", Body: "hello", End: fetch.EndDeclared, Script: ask + `
S: HTTP/1.1 200 OK
S: Content-Type: text/plain
S: Content-Length: 5
S:
S: hello\
`},
		fetchtest.Case{Name: "closed", URI: "https://www.example/x", Body: "hello", End: fetch.EndClosed, Script: ask + `
S: HTTP/1.1 200 OK
S: Content-Type: text/plain
S: Connection: close
S:
S: hello\
*: [end]
`})
}
