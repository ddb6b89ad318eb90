package ftp_test

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/ftp"
)

const hashBegin = `
*: [connected to ftp.example:21]
S: 220 ready
C: USER anonymous
C: PASS deref@
C: TYPE I
C: SIZE f.txt
C: MDTM f.txt
C: OPTS HASH SHA-256
C: HASH f.txt
S: 331 Any password will do
S: 230 Logged in
S: 200 TYPE is I
S: 213 14
S: 213 19941220120000
`

const hashEnd = `
C: EPSV
C: RETR f.txt
S: 229 Entering Extended Passive Mode (|||4001|)
*2: [connected to ftp.example:4001]
S: 150 Opening BINARY mode data connection for f.txt (14 bytes)
S2: Hello, world
*2: [end]
S: 226 Transfer complete
*: [whole]
C: QUIT
`

const (
	helloSum = "701e802eb2e1731106c8c360387ce69c1be64673c25bfbb779b654a9d0a21e44"
	hello64  = "cB6ALrLhcxEGyMNgOHzmnBvmRnPCW/u3ebZUqdCiHkQ="

	ifRefused = "*: [if HASH was refused]\nC: XSHA256 f.txt\n"
)

// The replies are those of proftpd 1.3.8 with mod_digest (observed), whose HASH uses SHA-1 until OPTS chooses another algorithm.
func TestDigestOfTheServer(t *testing.T) {
	for _, c := range []struct{ name, replies, want string }{
		{"HASH", "S: 200 SHA-256\nS: 213-Computing SHA-256 digest\nS: 213 SHA-256 0-14 " + helloSum + " f.txt\n", "sha-256=:" + hello64 + ":"},
		{"XSHA256", "S: 501 HASH not supported\nS: 500 HASH not understood\n" + ifRefused + "S: 250-Computing SHA256 digest\nS: 250 " + helloSum + "\n",
			"sha-256=:" + hello64 + ":"},
		{"neither", "S: 501 No such option\nS: 502 HASH not implemented\n" + ifRefused + "S: 502 XSHA256 not implemented\n", ""},
		{"a part", "S: 200 SHA-256\nS: 213 SHA-256 3-14 " + helloSum + " f.txt\n" + ifRefused + "S: 250 0\n", ""},
	} {
		fetchtest.Test(t, ftp.Schemes(nil)[0], fetchtest.Case{Name: c.name, URI: "ftp://ftp.example/f.txt", Script: hashBegin + c.replies + hashEnd,
			Body: "Hello, world\r\n", End: fetch.EndDeclared, Options: fetch.Options{Set: map[string][]string{"ftp.want-digest": {"yes"}}},
			Check: func(t testing.TB, d *fetch.Document, _ []byte) {
				if got := d.Header.Get("Repr-Digest"); got != c.want {
					t.Errorf("got Repr-Digest %q, want %q", got, c.want)
				}
			}})
	}
}
