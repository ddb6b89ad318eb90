package lint

import (
	"strings"

	"example.org/deref/fetch"
)

func geminiTable() table {
	const responses = "gemini protocol 0.24.1, Responses"
	isFile := func(e fetch.Entry) bool {
		return e.Kind == fetch.KindLink && !strings.HasSuffix(string(e.URI.Path()), "/")
	}
	return table{schemes: []string{"gemini"}, isFile: isFile, checks: []check{
		{name: "the URI", rule: "it is sent, and the connection is closed with close_notify", section: responses},
		{name: "the first page", rule: "the path / exists", section: "gemini protocol 0.24.1, Requests", at: atPath("/")},
		{name: "a document", rule: "a link of the page is answered", section: responses, at: atFile, judge: remember, optional: true},
		{name: "a directory", rule: "a link of the page is answered", section: responses, optional: true,
			at: entryOf(func(e fetch.Entry) bool {
				return e.Kind == fetch.KindLink && strings.HasSuffix(string(e.URI.Path()), "/")
			})},
		absent("a missing document", "a name that does not exist is 51 or 52", responses, atMissing(".gmi")),
		absent("a missing directory", "a name that does not exist is 51 or 52", responses, atMissing("/")),
		{name: "the document again", rule: "the same bytes are sent", section: responses, at: atFile, judge: isSame, optional: true},
	}}
}
