package render

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

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
