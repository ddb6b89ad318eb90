package ldap

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/frames"
	"example.org/deref/uri"
)

// answers serves the same bytes for any request.
func answers(t *testing.T, text string) string {
	t.Helper()
	return "ldap://" + loopback.ForTest(t, func(c net.Conn) {
		c.Read(make([]byte, 4096)) // the bind
		io.WriteString(c, text)
		loopback.Finish(c)
	})
}

// element4 returns an element with a length of four bytes.
func element4(tag byte, contents string) string {
	n := len(contents)
	return string([]byte{tag, 0x84, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) + contents
}

// of2 is the message of the search, with an operation.
func of2(op, contents string) string { return element4('0', "\x02\x01\x02"+element4(op[0], contents)) }

const (
	bound = "0\x0c\x02\x01\x01a\x07\x0a\x01\x00\x04\x00\x04\x00"
	done  = "0\x0c\x02\x01\x02e\x07\x0a\x01\x00\x04\x00\x04\x00"
)

// TestReference checks that a reference continues the search: RFC 4511 section 4.5.3.
func TestReference(t *testing.T) {
	c := fetch.New(Schemes(nil)...)
	defer c.Close()
	u := uri.MustParse(answers(t, bound+of2("s", element4('\x04', "ldap://h/o=b"))+done) + "/o=a?o?sub?(cn=ann)")
	n := 0
	for e, err := range c.Entries(t.Context(), u, nil) {
		if n++; err != nil || e.Kind != fetch.KindLink || e.URI.String() != "ldap://h/o=b?o?sub?(cn=ann)" {
			t.Errorf("got %+v, %v, want a link to ldap://h/o=b?o?sub?(cn=ann)", e, err)
		}
	}
	if n != 1 {
		t.Errorf("got %d entries, want a reference", n)
	}
}

func TestBadAnswers(t *testing.T) {
	const entry = "0\x0b\x02\x01\x02d\x06\x04\x02o=0\x00"
	deep := "\x04\x00"
	for range 60 {
		deep = "0" + string(rune(len(deep))) + deep
		if len(deep) > 120 {
			break
		}
	}
	fat := element4(0x04, strings.Repeat("x", 300<<10)) // within the limit, but not thirty times over
	for range 30 {
		fat = element4(0x31, fat)
	}
	for text, want := range map[string]fetch.Kind{
		bound + of2("d", "\x04\x00"+fat) + done: fetch.ErrLimit,
		bound + of2("d", "\x04\x00"+element4('0', element4('0', "\x04\x01o"+element4('1', strings.Repeat("\x04\x00", maxElements))))) +
			done: fetch.ErrLimit,
		// intermediate responses
		bound + strings.Repeat(of2("y", "\x80\x051.2.3"), 70000) + entry +
			done: fetch.ErrLimit,
		bound + strings.Repeat(of2("y", "\x80\x051.2.3"), 70) + entry + done: "",
		bound + entry + done:               "",
		"":                                 fetch.ErrConnection,
		bound:                              fetch.ErrTruncated,
		bound + entry:                      fetch.ErrTruncated,
		bound + entry + done[:9]:           fetch.ErrTruncated,
		"HTTP/1.1 400 Bad Request\r\n\r\n": fetch.ErrProtocol,
		"0\x84\x7f\xff\xff\xf0\x02":        fetch.ErrLimit,
		"0\x80\x02\x01\x01":                fetch.ErrProtocol, // RFC 4511 section 5.1: no indefinite length
		"0\x85\x01\x00\x00\x00\x00":        fetch.ErrProtocol,
		"0\x03\x02\x09\x01":                fetch.ErrProtocol, // longer than the element that contains it
		strings.Replace(bound, "\x01a", "\x07a", 1): fetch.ErrProtocol, // of another request
		bound + bound: fetch.ErrProtocol,
		// no list of attributes
		bound + "0\x09\x02\x01\x02d\x04\x04\x02o=" + done:                    fetch.ErrProtocol,
		"0\x16\x02\x01\x00x\x11\x0a\x01\x34\x04\x00\x04\x00\x8a\x081.3.6.1.": fetch.ErrUnavailable,
		bound + strings.Replace(done, "\x0a\x01\x00", "\x0a\x01\x33", 1):     fetch.ErrUnavailable, // busy
		// a referral to nobody
		bound + strings.Replace(done, "\x0a\x01\x00", "\x0a\x01\x0a", 1): fetch.ErrProtocol,
		// a bind that is referred
		"0\x15\x02\x01\x01a\x10\x0a\x01\x0a\x04\x00\x04\x00\xa3\x07\x04\x05ldap:":                                 fetch.ErrRedirect,
		bound + "0\x82" + string([]byte{byte((len(deep) + 3) >> 8), byte(len(deep) + 3)}) + "\x02\x01\x02" + deep: fetch.ErrProtocol,
	} {
		c := fetch.New(Schemes(nil)...)
		c.Timeouts.Idle = 2 * time.Second
		if _, err := names(t, c, answers(t, text)+"/o=", nil); fetch.KindOf(err) != want {
			t.Errorf("%.100q: %v (%s), want %s", text, err, fetch.KindOf(err), want)
		}
		c.Close()
	}
}

// FuzzElements checks that an accepted message consists of valid elements, and of no more than it has bytes.
func FuzzElements(f *testing.F) {
	f.Add([]byte("0\x0c\x02\x01\x01a\x07\x0a\x01\x00\x04\x00\x04\x00"))
	f.Add([]byte("0\x84\x00\x00\x00\x06\x02\x01\x02e\x01\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		left := newBudget(1 << 20)
		if left.spend(b, 50) != nil {
			return
		}
		n := 0
		for r := (frames.Reader{Rest: b}); len(r.Rest) > 0; n++ {
			if e := r.Next(); r.Bad {
				t.Fatalf("%q: got %+v, which is not a whole element", b, e)
			}
		}
		if used := maxElements - left.elements; used < n || used > len(b) {
			t.Fatalf("%q: got %d elements, want %d to %d", b, used, n, len(b))
		}
		if _, err := parseMessage(b); err != nil && fetch.KindOf(err) != fetch.ErrProtocol {
			t.Fatal(err)
		}
	})
}
