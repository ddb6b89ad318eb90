package charset

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

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
	for _, label := range []string{"utf-7", "utf-32", "johab", "ibm437", "cp850", "ibm855", "cp1125", "x-mac-ce", "iso-2022-cn", "", " ", "koi8-r koi8-u", "x-none"} {
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
