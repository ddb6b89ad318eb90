package render

import (
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

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
			got := view(t, directory(e), f, nil)
			if want := strings.ReplaceAll(form, "NAME", want); !strings.Contains(got, want) {
				t.Errorf("%s %q: got %q, want %q in it", f, name, got, want)
			}
		}
	}
}

func TestRowsAreAlignedInCells(t *testing.T) {
	two := []string{"name", "address"}
	got := view(t, directory(rowEntry("1", "snmp://h//1.3", two, "漢字", "x"), rowEntry("2", "snmp://h//1.4", two, "e\u0301", "y")), Text, nil)
	want := []string{"         name  address", "  [1] 1  漢字  x", "  [2] 2  e\u0301     y", ""}
	if lines := strings.Split(got, "\n"); !slices.Equal(lines, want) {
		t.Errorf("got %q, want %q", lines, want)
	}
}
