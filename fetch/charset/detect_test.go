package charset

import "testing"

// Each sample is detected so that its text is read, except those of testdata/misread.txt.
func TestDetect(t *testing.T) {
	n, wrong := 0, misread(t)
	for _, s := range samples(t) {
		for _, label := range s.in {
			n++
			octets := encoded(t, label, s.text)
			got := Detect([]byte(octets))
			switch text, listed := decodedAs(t, got, octets), wrong[label+": "+s.line]; {
			case text != s.text && !listed:
				t.Errorf("%s: got %s and %.60q, want %.60q", label, got, text, s.text)
			case text == s.text && listed:
				t.Errorf("%s: %.60q is read right, but it is in testdata/misread.txt", label, text)
			}
		}
	}
	if n < 1500 {
		t.Errorf("got %d samples, want 1500 or more", n)
	}
}

func decodedAs(t *testing.T, label, octets string) string {
	text, err := encodingOf(t, label).NewDecoder().String(octets)
	if err != nil {
		t.Errorf("%s: %v", label, err)
	}
	return text
}
