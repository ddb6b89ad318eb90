package charset

import (
	"strings"
	"testing"
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
