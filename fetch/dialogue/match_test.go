package dialogue

import "testing"

// TestWild: want is how many bytes match, -1 if they differ, and -2 if more bytes are needed.
func TestWild(t *testing.T) {
	for _, x := range []struct {
		pattern, text string
		want          int
	}{
		{"PASS ***\r\n", "PASS secret\r\n", 13},
		{"PASS ***\r\n", "PASS \r\n", 7},
		{"PASS ***\r\n", "PASS sec", -2},
		{"PASS ***\r\n", "PASS a\r\nDELE b\r\n", 8},
		{"***", "frame", 5},
		{"a***", "a", 1},
		{"a*****b", "asec\r\nb", 7},
		{"a*****b", "asecretb", 8},
		{"a******\r\n", "aaaaaaa\r\n", 9},
		{"a****", "abcdefgh", 5},
		{"a****", "abc", 3},
		{"**", "**", 2},
		{"**", "ab", -1},
	} {
		n, v := matchPrefix([]byte(x.pattern), []byte(x.text))
		switch v {
		case differs:
			n = -1
		case unfinished:
			n = -2
		}
		if n != x.want {
			t.Errorf("%q matches %d bytes of %q, want %d", x.pattern, n, x.text, x.want)
		}
	}
	for _, x := range []struct {
		pattern, text string
		want          bool
	}{
		{"a***b", "a\r\n\x00b", true},
		{"a***b", "ab", true},
		{"a***b", "a", false},
		{"a***b***c", "a1b2b3c", true},
		{"a****b***c", "axcxc", false},
		{"aa***aa", "aaa", false},
		{"***", "", true},
		{"a", "ab", false},
	} {
		if got := matchDatagram([]byte(x.pattern), []byte(x.text)); got != x.want {
			t.Errorf("the datagram %q matches %q: %v, want %v", x.text, x.pattern, got, x.want)
		}
	}
}
