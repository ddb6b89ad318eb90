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
`, fetch.Options{}, nil, ""},
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
		}, ""},
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
		}, ""},
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
`, fetch.Options{NoFollow: true}, []string{`the field Location: "/a b" is not a URI reference (RFC 9110 section 10.2.2)`}, ""},
	}
}
