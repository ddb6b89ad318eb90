package render

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func rowEntry(index, link string, columns []string, cells ...string) fetch.Entry {
	e := fetch.Entry{Kind: fetch.KindEntry, Title: index, Size: -1, Attr: map[string][]string{fetch.AttrColumns: columns}}
	if link != "" {
		e.URI = uri.MustParse(link)
	}
	for i, c := range cells {
		if c != "-" {
			e.Attr[columns[i]] = []string{c}
		}
	}
	return e
}

func table() *fetch.Document {
	two, one := []string{"name", "address"}, []string{"size"}
	return listing(
		rowEntry("1", "snmp://h//1.3", two, "lo", "-"),
		rowEntry("10", "snmp://h//1.4", two, "eth0\t<b>", "\x02\xff"),
		rowEntry("2", "", one, "7"),
		fetch.Entry{Kind: fetch.KindText, Title: "the end", Size: -1},
	)
}

func TestRowsAsText(t *testing.T) {
	got := view(t, table(), Text, nil)
	want := []string{
		"          name         address",
		"  [1] 1   lo           ",
		`  [2] 10  eth0\x09<b>  02 ff`,
		"         size",
		"      2  7",
		"the end",
		"",
	}
	if lines := strings.Split(got, "\n"); !slices.Equal(lines, want) {
		t.Errorf("got %q, want %q", lines, want)
	}
}

func TestRowsAsHTML(t *testing.T) {
	got := view(t, table(), HTML, nil)
	wantAll(t, got,
		"<tr><td></td><th scope=\"col\">name</th><th scope=\"col\">address</th></tr>",
		"<tr><th scope=\"row\" align=\"left\"><a href=\"snmp://h//1.3\">1</a></th><td>lo</td><td></td></tr>",
		"<td>eth0\t&lt;b&gt;</td><td>02 ff</td>",
	)
	if strings.Count(got, "<table>") != 2 || strings.Count(got, "</table>") != 2 {
		t.Errorf("want two tables in\n%s", got)
	}
}

func TestHiddenCharactersOfNamesAreVisible(t *testing.T) {
	for name, want := range map[string]string{
		"plain":           "plain",
		"a\u200bb":        `a\u200bb`,
		"a\u200db":        `a\u200db`,
		"\u200eab\ufeff":  `\u200eab\ufeff`,
		"a\u00adb":        `a\u00adb`,
		"a\u2060b\u061c":  `a\u2060b\u061c`,
		"a\u3164b":        `a\u3164b`,
		"a\u034fb\ufe0f":  `a\u034fb\ufe0f`,
		"x\U000e0041":     `x\U000e0041`,
		"e\u0301":         "e\u0301",         // a combining mark is seen
		"می\u200cخواهم":   "می\u200cخواهم",   // Persian spelling
		"👩\u200d🔬❤\ufe0f": "👩\u200d🔬❤\ufe0f", // emoji
		"txt.\u202eexe":   `txt.\u202eexe`,
	} {
		e := fetch.Entry{URI: uri.MustParse("nex://h/a"), Title: name, Kind: fetch.KindFile, Size: -1}
		for f, form := range map[Format]string{Text: "  [1] NAME\n", HTML: `<a href="nex://h/a">NAME</a>`} {
			wantAll(t, view(t, listing(e), f, nil), strings.ReplaceAll(form, "NAME", want))
		}
	}
}

func TestRowsAreAlignedInCells(t *testing.T) {
	two := []string{"name", "address"}
	got := view(t, listing(rowEntry("1", "snmp://h//1.3", two, "漢字", "x"), rowEntry("2", "snmp://h//1.4", two, "e\u0301", "y")), Text, nil)
	want := []string{"         name  address", "  [1] 1  漢字  x", "  [2] 2  e\u0301     y", ""}
	if lines := strings.Split(got, "\n"); !slices.Equal(lines, want) {
		t.Errorf("got %q, want %q", lines, want)
	}
}

func TestHighlightingMarks(t *testing.T) {
	const text = "the \x1b(wide\x1b) area\x1babcd server\x1b"
	for in, want := range map[string]string{"wais://h/db/TEXT/x": "the wide area server", "gopher://h/0/x": text} {
		for _, slow := range []bool{false, true} {
			var r io.Reader = strings.NewReader(text)
			if slow {
				r = iotest.OneByteReader(r)
			}
			d := fetch.NewDocument(io.NopCloser(r))
			d.URI, d.Type = uri.MustParse(in), "text/plain"
			if got := view(t, d, Text, nil); got != want {
				t.Errorf("%s: got %q, want %q", in, got, want)
			}
		}
	}
}
