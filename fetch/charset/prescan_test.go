package charset

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// TestMetaCharset tests the same properties as html5lib-tests' encoding directory, with other pages.
func TestMetaCharset(t *testing.T) {
	for _, c := range []struct{ page, want string }{
		{`<meta charset="koi8-r">`, "koi8-r"},
		{`<META CHARSET='koi8-r'>`, "koi8-r"},
		{`<meta charset=koi8-r>`, "koi8-r"},
		{`<meta charset=koi8-r />`, "koi8-r"},
		{`<meta charset=koi8-r/>`, ""}, // the value is koi8-r/
		{"<meta\ncharset=koi8-r>", "koi8-r"},
		{"<meta/charset=koi8-r>", "koi8-r"},
		{"<meta charset =\t'koi8-r'>", "koi8-r"},
		{"<meta charset='\nkoi8-r\n'>", "\nkoi8-r\n"},
		{"<meta charset=\nkoi8-r\n>", "koi8-r"},
		{`<metacharset=koi8-r>`, ""},
		{`<meta name="charset=koi8-r">`, ""},
		{`<meta http-equiv=Content-Type content="text/html; charset=koi8-r">`, "koi8-r"},
		{`<meta content="text/html; charset=koi8-r" http-equiv=CONTENT-TYPE>`, "koi8-r"},
		{`<meta http-equiv=Content-Type content="text/html; charset = koi8-r ; x">`, "koi8-r"},
		{"<meta http-equiv=Content-Type content='\ntext/html; charset=koi8-r\n'>", "koi8-r"},
		{`<meta http-equiv=Content-Type content="text/html; charset='koi8-r'">`, "koi8-r"},
		{`<meta http-equiv=Content-Type content="text/html; charset='koi8-r">`, ""},
		{`<meta http-equiv=Content-Type content="charset x charset=koi8-r">`, "koi8-r"},
		{`<meta http-equiv=Content-Type content=text/html; charset=koi8-r>`, "koi8-r"}, // an attribute of its own
		{`<meta http-equiv="Content-Type " content="text/html; charset=koi8-r">`, ""},
		{`<meta http-equiv="Content-Type>" content="text/html; charset=koi8-r">`, ""},
		{`<meta http-equiv="Content-Type content="text/html; charset=koi8-r">`, ""},
		{`<meta http-equiv=Content-Style-Type content="text/html; charset=koi8-r">`, ""},
		{`<meta name=Content-Type content="text/html; charset=koi8-r">`, ""},
		{`<meta content="text/html; charset=koi8-r">`, ""},
		{`<meta charset="koi8-r><p>"</p>`, ""},
		{`<meta charset=koi8-r"><p>"</p>`, ""},
		{`<meta " charset=koi8-r><p>"</p>`, "koi8-r"},
		{`<meta x" charset=koi8-r>`, "koi8-r"},
		{`<meta x=" charset=koi8-r><p>"</p>`, ""},
		{`<meta x="' charset=koi8-r><p>"'</p>`, ""},
		{`<meta x="" charset=koi8-r>`, "koi8-r"},
		{`<meta x=y" charset=koi8-r>`, "koi8-r"},
		{`<p title="x><meta charset=koi8-r><p>"</p>`, ""},
		{`<p title="x>"><meta charset=koi8-r>`, "koi8-r"},
		{`</p title="x>"><meta charset=koi8-r>`, "koi8-r"},
		{`<meta charset=koi8-r><meta charset=koi8-u>`, "koi8-r"},
		{`<meta charset=nonesuch><meta charset=koi8-r>`, "koi8-r"},
		{`<meta charset=koi8-r charset=koi8-u>`, "koi8-r"},
		{`<!--<meta charset=koi8-u>--><meta charset=koi8-r>`, "koi8-r"},
		{`<!--><meta charset=koi8-r>-->`, "koi8-r"},
		{`<!x <meta charset=koi8-u><meta charset=koi8-r>`, "koi8-r"},
		{`<?x <meta charset=koi8-u?><meta charset=koi8-r>`, "koi8-r"},
		{`<script>"<meta charset=koi8-r>"</script>`, "koi8-r"}, // the prescan does not know scripts
		{`<style><meta charset=koi8-r></style>`, "koi8-r"},
		{`<p><meta charset=koi8-r></p>`, "koi8-r"},
		{`<meta <meta charset='koi8-r'>`, "koi8-r"},
		{"<html a=\xf1><meta charset=koi8-r>", "koi8-r"},
		{"<html \xf1>\xf1<meta charset=koi8-r>", "koi8-r"},
		{"<meta charset=" + strings.Repeat(" ", 500) + "koi8-r>", "koi8-r"},
		{`<meta charset=UTF-16>`, "utf-8"},
		{`<meta charset=utf-16le>`, "utf-8"},
		{`<meta charset=unicode>`, "utf-8"}, // a label of UTF-16, as of old word processors
		{`<meta charset=UTF-16BE>`, "utf-8"},
		{`<meta charset=x-user-defined>`, "windows-1252"},
		{`<meta`, ""}, {`<`, ""}, {`<!`, ""}, {`</`, ""}, {`<!--`, ""}, {`<meta `, ""}, {`<meta charset = "`, ""}, {`<meta charset=koi8-r`, ""},
		{`<meta http-equiv=Content-Type content="text/html; charset=koi`, ""}, {"<meta" + strings.Repeat(" ", 500), ""}, {"", ""}, {"<a", ""},
		{"<a b='", ""},
	} {
		if got := metaCharset([]byte(c.page)); got != c.want {
			t.Errorf("%.200q: got %q, want %q", c.page, got, c.want)
		}
	}
}

// TestCharsetOfStyleSheets: only a rule of exactly this form at the beginning names the charset.
func TestCharsetOfStyleSheets(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ octets, text, found string }{
		{"@charset \"koi8-r\";a{b:\"\xcd\"}", "@charset \"koi8-r\";a{b:\"м\"}", "koi8-r, declaration"},
		{"@charset \"utf-16\";a{b:\"é\"}", "@charset \"utf-16\";a{b:\"é\"}", "utf-8, declaration"},
		{"@charset 'koi8-r';a{b:\"é\"}", "@charset 'koi8-r';a{b:\"é\"}", "utf-8, guess"},
		{"\xef\xbb\xbf@charset \"koi8-r\";é", "@charset \"koi8-r\";é", "utf-8, byte order mark"},
	} {
		if got, found := read(t, Source{Type: "text/css"}, test.octets); got != test.text || found != test.found {
			t.Errorf("%q: got %q, %s, want %q, %s", test.octets, got, found, test.text, test.found)
		}
	}
}

// Web knows the labels of the Encoding Standard and no others.
func TestWeb(t *testing.T) {
	b, err := os.ReadFile("testdata/labels.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		_, labels, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || line[0] == '#' || strings.HasPrefix(line, "!none") {
			continue
		}
		for label := range strings.FieldsSeq(labels) {
			want, err := htmlindex.Get(label)
			if name, _ := htmlindex.Name(want); err != nil || name == "utf-8" || name == "replacement" {
				continue
			} else if name == "gbk" { // decoded as GB18030 (section 10.1.1)
				want, _ = htmlindex.Get("gb18030")
			}
			if got := Web(strings.ToUpper(label)); !isSame(got, want) || !IsWeb(label) {
				t.Errorf("%q: got %v, known %v, want %v", label, got, IsWeb(label), want)
			}
		}
	}
	for _, label := range []string{"utf-7", "utf-32", "ibm437", "cp850", "ibm855", "cp1125", "x-mac-ce", "iso-2022-cn", "", " ", "koi8-r koi8-u", "x-none"} {
		if got := Web(label); got != nil || IsWeb(label) {
			t.Errorf("%q: got %v, known %v, want nil and unknown", label, got, IsWeb(label))
		}
	}
	for label, want := range map[string]string{"hz-gb-2312": "中文", "iso-2022-kr": "한글"} {
		in := map[string]string{"hz-gb-2312": "~{VPND~}", "iso-2022-kr": "\x1b$)C\x0eGQ1[\x0f"}[label]
		if got, err := Web(label).NewDecoder().String(in); got != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", label, got, err, want)
		}
	}
	if !IsWeb("UTF-8") || Web("utf-8") != nil || Web("us-ascii") != charmap.Windows1252 {
		t.Errorf("got utf-8 %v %v and us-ascii %v, want known, nil, and windows-1252", IsWeb("UTF-8"), Web("utf-8"), Web("us-ascii"))
	}
}
