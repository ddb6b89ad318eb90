package tn3270_test

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"

	"example.org/deref/schemes/tn3270/tn3270test"
	"example.org/deref/testdata"
)

// TestFunctions checks the negotiation of RFC 2355 section 7.2, byte by byte: the client agrees to a request for no functions, requests none
// itself, or insists and goes on without TN3270E.
func TestFunctions(t *testing.T) {
	const (
		willTN3270E = "\xff\xfb\x28"
		device      = "\xff\xfa\x28\x02\x07IBM-3278-2-E\xff\xf0"
		all         = "\xff\xfa\x28\x03\x07\x00\x02\x04\xff\xf0"
		requestNone = "\xff\xfa\x28\x03\x07\xff\xf0"
		isNone      = "\xff\xfa\x28\x03\x04\xff\xf0"
		header      = "\x00\x00\x00\x00\x00\xf5" // of 3270-DATA, and Erase/Write
		opening     = "\xff\xfd\x28" + "\xff\xfa\x28\x08\x02\xff\xf0" + "\xff\xfa\x28\x02\x04IBM-3278-2-E\x01LAB01\xff\xf0"
	)
	for _, x := range []struct{ name, says, hears string }{
		{"agrees", willTN3270E + device + all + isNone, opening + requestNone + header},
		{"wants none", willTN3270E + device + requestNone, opening + isNone + header},
		{"insists", willTN3270E + device + all + all, opening + requestNone + "\xff\xfe\x28\xff\xfd\x18"},
		{"agrees to what was not requested", willTN3270E + device + isNone, opening + "\xff\xfe\x28\xff\xfd\x18"},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := tn3270test.NewServer(testdata.Site(), nil)
			defer s.Close()
			c, err := net.Dial("tcp", s.Addr)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			c.SetDeadline(time.Now().Add(30 * time.Second))
			if _, err := io.WriteString(c, x.says); err != nil {
				t.Fatal(err)
			}
			got := make([]byte, len(x.hears))
			if n, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, []byte(x.hears)) {
				t.Errorf("got %q, %v; want %q", got[:n], err, x.hears)
			}
		})
	}
}
