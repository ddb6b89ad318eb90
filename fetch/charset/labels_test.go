package charset

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// TestLabels looks up each label of testdata/labels.txt, in different case and with white space around it.
func TestLabels(t *testing.T) {
	b, err := os.ReadFile("testdata/labels.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(b)) {
		head, labels, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || line[0] == '#' {
			continue
		}
		name, theirs, differs := strings.Cut(strings.TrimPrefix(head, "!"), " ")
		for label := range strings.FieldsSeq(labels) {
			n++
			if known, err := htmlindex.Get(label); err == nil {
				if canonical, _ := htmlindex.Name(known); differs && canonical != theirs || !differs && canonical != name &&
					!(canonical == "gbk" && name == "gb18030") {
					t.Errorf("%s is in the row of %s, but means %s", label, head, canonical)
				}
			}
			for _, form := range []string{label, strings.ToUpper(label), strings.ToUpper(label[:1]) + label[1:], " " + label, label + "\t",
				"\n\f\r" + label + "  "} {
				got := Lookup(form)
				if want := named(t, name); !isSame(got, want) {
					t.Errorf("%q: got %v, want %v", form, got, want)
				}
				if IsKnown(form) != (name != "none") {
					t.Errorf("IsKnown(%q) is wrong: got %v", form, IsKnown(form))
				}
				if IsASCII(form) != (name == "ascii") {
					t.Errorf("%q is ASCII: %v", form, IsASCII(form))
				}
			}
		}
	}
	if n != 225 {
		t.Errorf("%d labels", n)
	}
	for _, label := range []string{"\vkoi8-r", "koi8-r\u00a0", "\u2028koi8-r", "\u212aoi8-r", "koi8\u2010r", "koi8-r\x00", "\x00koi8-r",
		"koi8 -r", "koi8-r,koi8-u", "windowſ-1250",
		"utf-16\v", "İso-8859-2", "scsu", "cesu-8", "bocu-1", "iso-8859-12", "ebcdic-us"} {
		if got := Lookup(label); got != nil {
			t.Errorf("%q: %v", label, got)
		}
	}
}

func named(t *testing.T, name string) encoding.Encoding {
	switch name {
	case "utf-8", "ascii", "none":
		return nil
	case "hz-gb-2312":
		return simplifiedchinese.HZGB2312
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// isSame compares two encodings. It compares those of single bytes by decoding each byte.
func isSame(a, b encoding.Encoding) bool {
	if a == nil || b == nil || a == b {
		return a == b
	}
	if x, _, isUTF16 := strings.Cut(fmt.Sprint(a), " ("); isUTF16 { // ours has a mark outrank the order
		y, _, _ := strings.Cut(fmt.Sprint(b), " (")
		return x == y
	}
	if _, ok := a.(interface{ DecodeByte(byte) rune }); !ok {
		return false
	}
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	x, err := a.NewDecoder().Bytes(all)
	y, erry := b.NewDecoder().Bytes(all)
	return err == nil && erry == nil && string(x) == string(y)
}
