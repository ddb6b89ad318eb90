package gopher_test

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/gopher"
)

func TestConformance(t *testing.T) {
	fetchtest.Test(t, gopher.Schemes()[0],
		fetchtest.Case{URI: "gopher://gopher.example/0/about.txt", File: "testdata/dialogues/text.txt",
			Body: "All about us.\r\n.dotted\r\nend\r\n", Type: "text/plain", End: fetch.EndTerminated},
		fetchtest.Case{URI: "gopher://gopher.example/1/", File: "testdata/dialogues/menu.txt", Type: "application/gopher-menu"},
		fetchtest.Case{URI: "gopher://gopher.example/7/search%09about", File: "testdata/dialogues/search.txt"},
		fetchtest.Case{URI: "gopher://gopher.example/g/pic.gif", File: "testdata/dialogues/gif.txt", Type: "image/gif", End: fetch.EndClosed},
		fetchtest.Case{URI: "gopher://gopher.example/0/none", File: "testdata/dialogues/missing.txt", Err: fetch.ErrNotFound},
	)
}

func TestConformanceTLS(t *testing.T) {
	fetchtest.Test(t, gopher.Schemes()[1],
		fetchtest.Case{URI: "gophers://gopher.example/0/about.txt", Script: `
*: [connected to 192.0.2.1:70]
*: [TLS]
C: /about.txt
S: All about us.
*: [end]
`, Body: "All about us.\r\n", End: fetch.EndClosed})
}
