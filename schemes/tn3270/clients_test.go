package tn3270_test

import (
	"bytes"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/fetch/fetchtest/loopback"
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

// TestS3270 runs a session of an independent terminal: the screen it shows, the input that comes back, and the way out.
func TestS3270(t *testing.T) {
	t.Parallel()
	cfg, _, err := loopback.SelfSigned()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, prefix string
		o            tn3270test.Options
		lu, tls      string // as s3270 reports them
	}{
		{"TN3270E", "", tn3270test.Options{}, "LAB01", "not secure"},
		{"named", "LAB07@", tn3270test.Options{}, "LAB07", "not secure"},
		{"client without TN3270E", "N:", tn3270test.Options{}, "", "not secure"},
		{"host without TN3270E", "", tn3270test.Options{Classic: true}, "", "not secure"},
		{"device rejected", "", tn3270test.Options{Reject: 4}, "", "not secure"},
		{"TLS", "L:", tn3270test.Options{TLS: cfg}, "LAB01", "secure"},
		{"STARTTLS", "", tn3270test.Options{StartTLS: cfg}, "LAB01", "secure"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.o.Screen = "history/telnet.txt"
			s := tn3270test.NewServer(testdata.Site(), &tt.o)
			defer s.Close()
			cmd := lab.Client(t, "s3270", "-noverifycert")
			cmd.Stdin = strings.NewReader("Connect(" + tt.prefix + s.Addr + ")\nWait(10,InputField)\nAscii()\nString(ann)\nTab()\nString(secret)\n" +
				"Enter()\nWait(10,InputField)\nAscii()\nPF(12)\nWait(10,InputField)\nAscii(20,0,9)\nQuery(LuName)\nQuery(Tls)\nPF(3)\n" +
				"Wait(10,Disconnect)\nQuit()\n")
			out, err := cmd.CombinedOutput()
			text := string(out)
			for _, want := range []string{" User ==>             Password ==>", "Many library catalogues could be reached",
				"Welcome ann at IBM-327", "data: " + tt.lu + "\n", "data: " + tt.tls} {
				if !strings.Contains(text, want) {
					t.Errorf("no %q", want)
				}
			}
			if want := []string{"7d ann", "7c", "f3"}; !slices.Equal(s.Transcript(), want) || err != nil || strings.Contains(text, "\nerror") {
				t.Errorf("the host received %q, want %q; %v\n%s", s.Transcript(), want, err, out)
			}
		})
	}
}
