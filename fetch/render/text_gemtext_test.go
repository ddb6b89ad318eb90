package render

import (
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func gemtextDocument() *fetch.Document {
	attr := func(name, value string) map[string][]string { return map[string][]string{name: {value}} }
	d := fetch.NewDocument(fetch.NewBody(strings.NewReader(""), func() error { return nil }))
	d.Type = "text/gemini; charset=utf-8"
	d.Entries = func(yield func(fetch.Entry, error) bool) {
		for _, e := range []fetch.Entry{
			{Title: "##Birds", Kind: fetch.KindText, Attr: attr(fetch.AttrHeading, "2")},
			{Title: "The owl hoots \x1b]0;x\x07 at night, the lark in the morning.", Kind: fetch.KindText},
			{Title: "", Kind: fetch.KindText},
			{Title: "* an item that is longer than the line", Kind: fetch.KindText},
			{Title: ">It hoots, and it hoots again.", Kind: fetch.KindText},
			{Title: " (o,o)   a long line of art stays", Kind: fetch.KindText, Attr: attr(fetch.AttrVerbatim, "An owl")},
			{Title: "More about owls, by night and day", Kind: fetch.KindLink, URI: uri.MustParse("gemini://h/owl")},
			{Title: "Find 鳥", Kind: fetch.KindSearch, URI: uri.MustParse("spartan://h/find")},
		} {
			if !yield(e, nil) {
				return
			}
		}
	}
	return d
}

func TestGemtextOnATerminal(t *testing.T) {
	want := "## Birds\nThe owl hoots\n\\x1b]0;x\\x07 at\nnight, the lark in\nthe morning.\n\n* an item that is\n  longer than the\n  line\n> It hoots, and it\n> hoots again.\n" +
		" (o,o)   a long line of art stays\n  [1] More about\n      owls, by night\n      and day\n  [2] Find 鳥 <?>\n"
	if got := view(t, gemtextDocument(), Text, &Options{Terminal: true, Width: 20}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := view(t, gemtextDocument(), Text, &Options{Terminal: true, Color: true, Width: 20}); !strings.HasPrefix(got, "\x1b[1m## Birds\x1b[m\nThe owl") {
		t.Errorf("got %q, want a bold heading", got)
	}
	var links []int
	for row := range TextRows(gemtextDocument(), &Options{Terminal: true, Width: 20}) {
		links = append(links, row.Link)
	}
	if want := []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2}; !slices.Equal(links, want) {
		t.Errorf("got the links %v, want %v", links, want)
	}
}
