package urn

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/schemetest"
)

func FuzzDecode(f *testing.F) {
	schemetest.FuzzDecode(f, Scheme(nil),
		"\x00\x1d\x00\x01\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x03foo\x03urn\x04arpa\x00\x00\x23\x00\x01",
		"\x00\x01\x81\x80\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x23\x00\x01\x00\x00\x00\x00\x00\x0a\x00\x01\x00\x01\x01u\x01I\x00\x00",
	)
}

func TestDecode(t *testing.T) {
	t.Parallel()
	// RFC 1035 section 4: a header, the question, and an answer whose name points to it
	const question = "\x03foo\x03urn\x04arpa\x00\x00\x23\x00\x01"
	const query = "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00" + question
	const answer = "\x12\x34\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00" + question + "\xc0\x0c\x00\x23\x00\x01\x00\x00\x00\x00\x00\x1b" +
		"\x00\x64\x00\x0a\x01u\x08http+I2L\x0a!^.*$!h\x1b!i\x00"
	for _, x := range []struct {
		frame    string
		datagram bool
		want     string
		n        int
	}{
		{query, true, `query 4660 NAPTR "foo.urn.arpa."`, len(query)},
		{"\x00\x1e" + query + "x", false, `query 4660 NAPTR "foo.urn.arpa."`, 32},
		{"\x00\x1e" + query[:9], false, "", 32},
		{answer, true, `response 4660 NOERROR NAPTR "foo.urn.arpa."; "foo.urn.arpa." NAPTR 100 10 "u" "http+I2L" "!^.*$!h\x1b!i" ""`, len(answer)},
		{"\x12\x34\x81\x83\x00\x00\x00\x00\x00\x00\x00\x00", true, "response 4660 NXDOMAIN", 12},
		{"short", true, "", -1},
	} {
		got, n := decode(fetch.Frame{Dir: fetch.FromServer, Data: []byte(x.frame), Datagram: x.datagram})
		if got != x.want || n != x.n {
			t.Errorf("decode(%q): got %s, %d, want %s, %d", x.frame, got, n, x.want, x.n)
		}
	}
}
