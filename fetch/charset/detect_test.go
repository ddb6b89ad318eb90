package charset

import (
	"strings"
	"testing"
)

// Each sample is detected so that its text is read.
func TestDetect(t *testing.T) {
	n := 0
	for _, s := range samples() {
		for label := range strings.FieldsSeq(s.in) {
			n++
			octets := encoded(t, label, s.text)
			got := Detect([]byte(octets))
			if text := decodedAs(t, got, octets); text != s.text {
				t.Errorf("%s: got %s and %.40q, want %.40q", label, got, text, s.text)
			}
		}
	}
	if n < 140 {
		t.Errorf("got %d samples, want 140 or more", n)
	}
}

func decodedAs(t *testing.T, label, octets string) string {
	text, err := encodingOf(t, label).NewDecoder().String(octets)
	if err != nil {
		t.Errorf("%s: %v", label, err)
	}
	return text
}
