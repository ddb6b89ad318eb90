package schemes_test

import "example.org/deref/fetch"

// strictMenus returns those of gopher, gemini, spartan and nex.
func strictMenus() []strictCase {
	return []strictCase{
		{"gopher: a correct menu", "gopher://192.0.2.1/1/", `
*: [connected to 192.0.2.1:70]
C: /
S: 0a\t/a\th\t70
S: ia text\tfake\t(NULL)\t0
S: .
*: [end]
`, fetch.Options{}, nil, "", false},
		{"gopher: a menu", "gopher://192.0.2.1/1/", `
*: [connected to 192.0.2.1:70]
C: /
S: 0a\t/a\th\t70\n\
S: Qb\t/b\th\t70
S: no tabs
S: 0c\t/c\th\tx
*: [end]
`, fetch.Options{}, []string{
			"a line of the menu: LF without CR (RFC 1436 Appendix)",
			"the end of the menu: no line of one dot (RFC 1436 Appendix)",
			"the menu: an item of the unknown type 'Q' (RFC 1436 section 3.8)",
			"the menu: an item of which fields are missing (RFC 1436 Appendix)",
			"the menu: an item of which host, port or URL do not form a URI (RFC 1436 Appendix)",
		}, "", false},
		{"gopher: a text", "gopher://192.0.2.1/0/a", `
*: [connected to 192.0.2.1:70]
C: /a
S: one
S: .two
S: .
*: [end]
`, fetch.Options{}, []string{"the text: a line that begins with one dot (RFC 1436 Appendix)"}, "", false},
		{"gopher: an error", "gopher://192.0.2.1/0/a", `
*: [connected to 192.0.2.1:70]
C: /a
S: Error: File or directory not found!
S: ___________________________________________________________________
*: [end]
`, fetch.Options{}, []string{"the error: a text instead of an item of type 3 (RFC 1436 section 3.8)"}, "", false},
		{"gemini: correct", "gemini://192.0.2.1/a", `
*: [TLS]
C: gemini://192.0.2.1/a
S: 20 text/plain
S: hi\n\
*: [end]
`, fetch.Options{}, nil, "", false},
		{"gemini", "gemini://192.0.2.1/a", `
*: [TLS]
C: gemini://192.0.2.1/a
S: 21  text/plain\n\
S: hi
*: [end]
`, fetch.Options{}, []string{
			"a line of a reply: LF without CR (gemini protocol 0.24.1, Responses)",
			"the status line: the unknown code 21 (gemini protocol 0.24.1, Responses)",
		}, "", false},
		{"gemini: links", "gemini://192.0.2.1/", `
*: [TLS]
C: gemini://192.0.2.1/
S: 20 text/gemini
S: => /caf\xc3\xa9/ A name that is not escaped
S: => /a[1].gmi Another
S: => /ok%20.gmi?q Right
*: [end]
`, fetch.Options{}, []string{"a link of the page: not a URI reference (RFC 3986 Appendix A)"}, "", false},
		{"nex: links", "nex://192.0.2.1/", `
*: [connected to 192.0.2.1:1900]
C:
S: => a|b.txt
*: [end]
`, fetch.Options{}, []string{"a link of the page: not a URI reference (RFC 3986 Appendix A)"}, "", false},
		{"gemini: no type", "gemini://192.0.2.1/a", `
*: [TLS]
C: gemini://192.0.2.1/a
S: 20
S: hi
*: [end]
`, fetch.Options{}, []string{"the status line: nothing after the code 20 (gemini protocol 0.24.1, Responses)"}, "", false},
		{"spartan", "spartan://192.0.2.1/a", `
*: [connected to 192.0.2.1:300]
C: 192.0.2.1 /a 0
S: 4\n\
*: [end]
`, fetch.Options{}, []string{
			"a line of a reply: LF without CR (spartan specification section 3)",
			"the status line: nothing after the code (spartan specification section 3)",
		}, "", false},
	}
}
