package render

import (
	"slices"
	"strings"
	"testing"

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
	return directory(
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
	for _, want := range []string{
		"<tr><td></td><th scope=\"col\">name</th><th scope=\"col\">address</th></tr>",
		"<tr><th scope=\"row\" align=\"left\"><a href=\"snmp://h//1.3\">1</a></th><td>lo</td><td></td></tr>",
		"<td>eth0\t&lt;b&gt;</td><td>02 ff</td>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("want %s in\n%s", want, got)
		}
	}
	if strings.Count(got, "<table>") != 2 || strings.Count(got, "</table>") != 2 {
		t.Errorf("want two tables in\n%s", got)
	}
}
