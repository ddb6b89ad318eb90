package charset

import (
	"bytes"
	"io"
	"testing"
)

func TestPiece(t *testing.T) {
	if got := string(Piece("koi8-r")([]byte("a\xcd"))); got != "aм" {
		t.Errorf("koi8-r: got %q, want \"aм\"", got)
	}
	if Piece("utf-8") != nil {
		t.Error("utf-8: got a function, want nil")
	}
	for label, want := range map[string]bool{"UTF-16LE": true, "iso-2022-jp": true, "hz-gb-2312": true, "utf-8": false, "koi8-r": false, "gb2312": false,
		"shift_jis": false, "csUTF7": true, "ibm037": true, "ibm437": false, "x-none": false, "unicode-1-1-utf-8": false, "": false} {
		if got := IsWide(label); got != want {
			t.Errorf("IsWide(%q): got %t, want %t", label, got, want)
		}
	}
}

// A document can be written again in its own encoding.
func TestNewWriter(t *testing.T) {
	for label, in := range map[string]string{
		"utf-16le": "\xff\xfe<\x00=\xd8\x0a\xde", "utf-16be": "\xfe\xff\x04<", "iso-2022-jp": "a\x1b$BF|K\\\x1b(Bb", "hz-gb-2312": "a~{VPND~}b",
	} {
		r, _ := Decode("text/html; charset="+label, bytes.NewReader([]byte(in)))
		var out bytes.Buffer
		w := NewWriter(&out, label)
		_, err := io.Copy(w, r)
		if cerr := w.Close(); err != nil || cerr != nil || out.String() != in {
			t.Errorf("%s: got %q, %v, %v, want %q", label, out.String(), err, cerr, in)
		}
		r, _ = Decode("text/html; charset="+label, bytes.NewReader([]byte(in)))
		if b, err := io.ReadAll(Encode(r, label)); string(b) != in || err != nil {
			t.Errorf("%s: got %q, %v, want %q", label, b, err, in)
		}
	}
	var out bytes.Buffer
	w := NewWriter(&out, "iso-2022-jp")
	io.WriteString(w, "é")
	if err := w.Close(); err != nil || out.String() != "&#233;" {
		t.Errorf("got %q, %v, want \"&#233;\"", out.String(), err)
	}
}
