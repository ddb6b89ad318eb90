package render

import (
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Headings of gemtext are headings of the page, below its own.
func TestHeadingsAmongEntries(t *testing.T) {
	d := listing(
		fetch.Entry{Kind: fetch.KindText, Title: "## Birds & <b>", Size: -1, Attr: map[string][]string{"heading": {"2"}}},
		fetch.Entry{Kind: fetch.KindLink, URI: uri.MustParse("gemini://h/owl"), Title: "The owl", Size: -1},
		fetch.Entry{Kind: fetch.KindText, Title: "# End", Size: -1, Attr: map[string][]string{"heading": {"<script>"}}},
	)
	d.Type = "text/gemini"
	got := view(t, d, HTML, nil)
	for _, want := range []string{"<h2>Birds &amp; &lt;b&gt;</h2>\n", "</ul>\n<h2>End</h2>\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
}
