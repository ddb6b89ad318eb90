//go:build unix || windows

package hub

import (
	"bytes"
	"testing"
)

// Packed text is shorter by the identifiers in it, and remains the same text.
func TestPack(t *testing.T) {
	t.Parallel()
	const id, digest = "74cffd7d-a0d5-4950-9a46-adf3b4f10424", "YX46ZQ66HCFJ4XUDZTFUKWE5IKPFT6DI"
	for _, c := range []struct {
		text string
		less int
	}{
		{"", 0},
		{`{"uri":"http://h/"}`, 0},
		{id, 19},
		{digest, 11},
		{`{"id":"\u003curn:uuid:` + id + `\u003e","digest":"sha1:` + digest + `"}`, 30},
		{digest + digest + id + id, 60},
		{"A" + digest + "B", 11},
		{"f" + id + "0", 19},
		{id[:35], 0},
		{digest[:31], 0},
		{"74CFFD7D-A0D5-4950-9A46-ADF3B4F10424", 0},
		{"74cffd7d-a0d5-4950-9a46-adf3b4f1042g", 0},
		{"74cffd7da0d5495009a46-adf3b4f1042434", 0},
		{digest[:31] + "1", 0},
		{digest[:30] + "==", 0},
	} {
		packed := pack([]byte(c.text))
		got, err := unpack(packed)
		if err != nil || string(got) != c.text || len(packed) != len(c.text)-c.less {
			t.Errorf("%s: got %d bytes, and %q, %v from them; want %d bytes", c.text, len(packed), got, err, len(c.text)-c.less)
		}
	}
	for _, bad := range [][]byte{{uuidMark}, pack([]byte(id))[:16], {digestMark}, pack([]byte(digest))[:20]} {
		if got, err := unpack(bad); err == nil {
			t.Errorf("%x: got %q, want an error", bad, got)
		}
	}
}

// Any text of JSON, which has no control characters, is the same after packing and unpacking.
func FuzzPack(f *testing.F) {
	f.Add([]byte("74cffd7d-a0d5-4950-9a46-adf3b4f10424YX46ZQ66HCFJ4XUDZTFUKWE5IKPFT6DI"))
	f.Fuzz(func(t *testing.T, text []byte) {
		unpack(text) // does not panic
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte{uuidMark}, nil), []byte{digestMark}, nil)
		if got, err := unpack(pack(text)); err != nil || !bytes.Equal(got, text) {
			t.Errorf("got %q, %v, want %q", got, err, text)
		}
	})
}
