package schemetest

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"example.org/deref/fetch"
)

// FuzzDecode feeds s.Decode with foreign bytes: as a datagram, and as a stream that arrives in one piece, in two, and byte by byte. The words must
// be the same however the stream is cut, and each must be one short line.
func FuzzDecode(f *testing.F, s fetch.Scheme, seeds ...string) {
	for _, seed := range seeds {
		f.Add([]byte(seed), uint16(len(seed)/2))
	}
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) {
		if len(b) == 0 {
			return
		}
		at := int(cut) % len(b)
		for _, dir := range []byte{fetch.FromClient, fetch.FromServer} {
			if words, _ := s.Decode(fetch.Frame{Dir: dir, Data: b, Datagram: true}); len(words) > fetch.MaxFrame {
				t.Errorf("%.100q: got %d bytes of words, want fewer than the longest frame has", b, len(words))
			}
			var whole, halves, bytewise fetch.Framer
			want := whole.Decode(s.Decode, dir, b)
			got := append(halves.Decode(s.Decode, dir, b[:at]), halves.Decode(s.Decode, dir, b[at:])...)
			var single []string
			for i := range min(len(b), 512) {
				single = append(single, bytewise.Decode(s.Decode, dir, b[i:i+1])...)
			}
			if !slices.Equal(got, want) || len(b) <= 512 && !slices.Equal(single, want) {
				t.Errorf("%q: got %q in two pieces at %d, and %q byte by byte; want %q as in one", b, got, at, single, want)
			}
			for _, words := range want {
				if len(words) > 1100 || strings.ContainsAny(words, "\r\n\t\x00\x1b") || !utf8.ValidString(words) {
					t.Errorf("%q: got the words %q, want one line of at most 1100 bytes", b, words)
				}
			}
		}
	})
}
