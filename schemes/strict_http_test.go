package schemes_test

import "example.org/deref/fetch"

// strictHTTP returns those of http.
func strictHTTP() []strictCase {
	return []strictCase{
		{"http: correct", "http://192.0.2.1/", `
*: [connected to 192.0.2.1:80]
C: GET / HTTP/1.1
C: ***
C: ***
C: ***
C:
S: HTTP/1.1 200 OK
S: Date: Mon, 23 Nov 2026 04:01:11 GMT
S: ETag: W/"x"
S: Content-Length: 3
S:
S: a\n\
S: b\
`, fetch.Options{}, nil, "", false},
		{"http", "http://192.0.2.1/", `
*: [connected to 192.0.2.1:80]
C: GET / HTTP/1.1
C: ***
C: ***
C: ***
C:
S: HTTP/1.1 200\n\
S: ETag: x
S: Last-Modified: yesterday
S: Content-Length: 2
S:
S: hi\
`, fetch.Options{}, []string{
			"a line of a reply: LF without CR (RFC 9112 section 2.2)",
			"the status line: no blank after the code (RFC 9112 section 4)",
			"the header of a 200: Date is missing (RFC 9110 section 6.6.1)",
			`the field Last-Modified: "yesterday" is not a date (RFC 9110 section 5.6.7)`,
			`the field ETag: "x" is not a quoted tag (RFC 9110 section 8.8.3)`,
		}, "", false},
		{"http: 304", "http://192.0.2.1/", `
*: [connected to 192.0.2.1:80]
C: GET / HTTP/1.1
C: ***
C: ***
C: ***
C: ***
C:
S: HTTP/1.1 304 Not Modified
S: Date: Mon, 23 Nov 2026 04:01:11 GMT
S: Content-Length: 0
S:
`, fetch.Options{IfChanged: fetch.Validator{Tag: `"x"`, Size: 12}}, []string{
			"the header of a 304: Content-Length: 0, which is not that of the document (RFC 9110 section 8.6)",
		}, "", false},
		{"http: a redirect", "http://192.0.2.1/", `
*: [connected to 192.0.2.1:80]
C: GET / HTTP/1.1
C: ***
C: ***
C: ***
C:
S: HTTP/1.1 301 Moved
S: Date: Mon, 23 Nov 2026 04:01:11 GMT
S: Location: /a b
S: Content-Length: 0
S:
`, fetch.Options{NoFollow: true}, []string{`the field Location: "/a b" is not a URI reference (RFC 9110 section 10.2.2)`}, "", false},
		{"http: lines", "http://192.0.2.1/", `
*: [connected to 192.0.2.1:80]
C: GET / HTTP/1.1
C: ***
C: ***
C: ***
C:
S: HTTP/1.1  699 Odd
S: Date: Mon, 23 Nov 2026 04:01:11 GMT
S: X-Long: one
S:  two
S: Content-Length: 0
S: Content-Length: 0
S:
`, fetch.Options{}, []string{
			"the status line: more than one blank before the code (RFC 9112 section 4)",
			"the status line: the code 699 (RFC 9110 section 15)",
			"the header: a folded line (RFC 9112 section 5.2)",
			"the field Content-Length: more than one value (RFC 9110 section 8.6)",
		}, "", false},
		{"http: chunks and a length", "http://192.0.2.1/", `
*: [connected to 192.0.2.1:80]
C: GET / HTTP/1.1
C: ***
C: ***
C: ***
C:
S: HTTP/1.1 200 OK
S: Date: Mon, 23 Nov 2026 04:01:11 GMT
S: Transfer-Encoding: chunked
S: Content-Length: 2
S:
S: 2
S: hi
S: 0
S:
*: [end]
`, fetch.Options{}, []string{"the field Content-Length: next to Transfer-Encoding (RFC 9112 section 6.2)"}, "", false},
		{"http: the coding none", "http://192.0.2.1/", `
*: [connected to 192.0.2.1:80]
C: GET / HTTP/1.1
C: ***
C: ***
C: ***
C: ***
C:
S: HTTP/1.1 200 OK
S: Date: Mon, 23 Nov 2026 04:01:11 GMT
S: Content-Encoding: none
S: Content-Length: 2
S:
S= aGk=
`, fetch.Options{Set: map[string][]string{"http.compressed": {"1"}}}, []string{"the field Content-Encoding: none, which is not a coding (RFC 9110 section 8.4.1)"}, "", false},
		{"http: an empty body with a coding", "http://192.0.2.1/", `
*: [connected to 192.0.2.1:80]
C: GET / HTTP/1.1
C: ***
C: ***
C: ***
C: ***
C:
S: HTTP/1.1 200 OK
S: Date: Mon, 23 Nov 2026 04:01:11 GMT
S: Content-Encoding: gzip
S: Content-Length: 0
S:
`, fetch.Options{Set: map[string][]string{"http.compressed": {"1"}}}, []string{"the body: empty, which is not the coding gzip (RFC 9110 section 8.4)"}, "", false},
		{"http: raw DEFLATE", "http://192.0.2.1/", `
*: [connected to 192.0.2.1:80]
C: GET / HTTP/1.1
C: ***
C: ***
C: ***
C: ***
C:
S: HTTP/1.1 200 OK
S: Date: Mon, 23 Nov 2026 04:01:11 GMT
S: Content-Encoding: deflate
S: Content-Length: 4
S:
S= y8gEAA==
`, fetch.Options{Set: map[string][]string{"http.compressed": {"1"}}}, []string{"the body: DEFLATE without the zlib format (RFC 9110 section 8.4.1.2)"}, "", false},
		{"http: 204", "http://192.0.2.1/", `
*: [connected to 192.0.2.1:80]
C: GET / HTTP/1.1
C: ***
C: ***
C: ***
C:
S: HTTP/1.1 204 Nothing
S: Date: Mon, 23 Nov 2026 04:01:11 GMT
S: Content-Length: 0
S:
`, fetch.Options{}, []string{"the field Content-Length: in a 204 (RFC 9110 section 8.6)"}, "", false},
	}
}
