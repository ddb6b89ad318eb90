package render

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

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

func TestGemtextLine(t *testing.T) {
	attr := func(name string) map[string][]string { return map[string][]string{name: {""}} }
	for _, tt := range []struct {
		entry fetch.Entry
		kind  LineType
		text  string
	}{
		{fetch.Entry{Title: "A paragraph."}, LineText, "A paragraph."},
		{fetch.Entry{Title: ""}, LineText, ""},
		{fetch.Entry{Title: "* owls"}, LineItem, "owls"},
		{fetch.Entry{Title: "*owls*"}, LineText, "*owls*"}, // the space is part of the mark
		{fetch.Entry{Title: ">It hoots."}, LineQuote, "It hoots."},
		{fetch.Entry{Title: "##Birds", Attr: attr(fetch.AttrHeading)}, LineHeading, "Birds"},
		{fetch.Entry{Title: "* a  b", Attr: attr(fetch.AttrVerbatim)}, LineVerbatim, "* a  b"},
		{fetch.Entry{Title: "* owls", URI: uri.MustParse("gemini://h/")}, LineLink, "* owls"},
		{fetch.Entry{Title: "owls", Kind: fetch.KindUnknown}, LineLink, "owls"},
	} {
		if kind, text := GemtextLine(tt.entry); kind != tt.kind || text != tt.text {
			t.Errorf("%+v: got %s %q, want %s %q", tt.entry, kind, text, tt.kind, tt.text)
		}
	}
}

// Gemtext has a view of its own by whatever scheme it comes, except as the raw text.
func TestGemtextWithoutEntries(t *testing.T) {
	for _, tt := range []struct {
		format Format
		o      Options
		want   string
	}{
		{Text, Options{Terminal: true, Width: 20}, "# Owls\n  [1] The barn owl\nA paragraph of more\nthan one row.\n"},
		{URIList, Options{}, "gopher://h/0/owls/barn.gmi\n"},
		{Raw, Options{Terminal: true}, "# Owls\n=> barn.gmi The barn owl\nA paragraph of more than one row.\n"},
	} {
		d := fetch.NewDocument(io.NopCloser(strings.NewReader("# Owls\n=> barn.gmi The barn owl\nA paragraph of more than one row.\n")))
		d.Type, d.URI = "text/gemini", uri.MustParse("gopher://h/0/owls/index.gmi")
		d.Base = d.URI
		if got := view(t, d, tt.format, &tt.o); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.format, got, tt.want)
		}
	}
}

// On a narrow terminal the names of files have room: only the size is before them.
func TestNarrowListing(t *testing.T) {
	for width, want := range map[int]string{80: "  [1] 1994-12-20 12:00        71000  a.txt\n  [2] 1994-12-20 12:00               b/\n", 40: "  [1]     71 kB  a.txt\n  [2]            b/\n"} {
		at := time.Date(1994, 12, 20, 12, 0, 0, 0, time.UTC)
		d := &fetch.Document{Entries: func(yield func(fetch.Entry, error) bool) {
			_ = yield(fetch.Entry{URI: uri.MustParse("ftp://h/a.txt"), Title: "a.txt", Kind: fetch.KindFile, Size: 71_000, Modified: at}, nil) &&
				yield(fetch.Entry{URI: uri.MustParse("ftp://h/b/"), Title: "b", Kind: fetch.KindDir, Size: -1, Modified: at}, nil)
		}}
		if got := view(t, d, Text, &Options{Terminal: true, Width: width}); got != want {
			t.Errorf("%d columns: got %q, want %q", width, got, want)
		}
	}
}
