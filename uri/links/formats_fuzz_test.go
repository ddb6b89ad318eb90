package links

import (
	"strings"
	"testing"

	"example.org/deref/uri"
)

// fuzzFormat: a link has a URI or an error, and a line of the text. A line that begins many things and ends none takes time in proportion to its
// length (promise 5): .ci/linear repeats the seeds.
func fuzzFormat(f *testing.F, read format, cases []formatCase) {
	for _, c := range cases {
		f.Add(c.text)
	}
	for _, beginning := range []string{"[a](b", "](", "[![a](b", "[a](<b", "[a]: b](", "](b[", "x](b", "`", "``` `` ` ", "<a \"", "<<", "[", "<!--",
		"link:a[", "{a}[", "`a <b", "+++", ":ref:`", "<![CDATA[", "url(", "url('", "/*", "<a b='", "&", "(", "http:", "\\"} {
		f.Add(beginning)
	}
	f.Fuzz(func(t *testing.T, text string) {
		most := 1 + strings.Count(text, "\n")
		for l, err := range read(strings.NewReader(text), uri.Resolver{Base: uri.MustParse("file:///x/y")}) {
			if l.Ref == "" && err != nil {
				return
			}
			if (err == nil) == l.URI.IsZero() {
				t.Fatalf("got %+v, %v; want a URI or an error", l, err)
			}
			if l.Line < 1 || l.Line > most {
				t.Fatalf("got line %d for %q, want 1 to %d", l.Line, l.Ref, most)
			}
		}
	})
}

func FuzzMarkdown(f *testing.F) { fuzzFormat(f, Markdown, markdownCases()) }
func FuzzAsciiDoc(f *testing.F) { fuzzFormat(f, AsciiDoc, asciiDocCases()) }
func FuzzReST(f *testing.F)     { fuzzFormat(f, ReST, reSTCases()) }
func FuzzXML(f *testing.F)      { fuzzFormat(f, XML, xmlCases()) }
func FuzzCSS(f *testing.F)      { fuzzFormat(f, CSS, cssCases()) }

func FuzzAnchors(f *testing.F) {
	f.Add("# a {#b}\n<a name=c>\n[[d]]")
	f.Fuzz(func(t *testing.T, text string) {
		for name, err := range MarkdownAnchors(strings.NewReader(text)) {
			if name == "" && err == nil {
				t.Fatal("got an empty name of Markdown, want none")
			}
		}
		for name, err := range AsciiDocAnchors(strings.NewReader(text)) {
			if name == "" && err == nil {
				t.Fatal("got an empty name of AsciiDoc, want none")
			}
		}
	})
}
