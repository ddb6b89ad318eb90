package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes"
	"example.org/deref/schemes/external"
	"example.org/deref/schemes/urn"
	"example.org/deref/uri"
)

// privatePlaces are URIs that no server can refer to by itself: files, programs, the user's own mail, sessions, messages to be sent, and
// data URIs, in which the referral itself holds the document.
var privatePlaces = []string{"file:///etc/passwd", "afs:/x/y", "cid:a@b", "mailto:a@b", "mid:a@b", "data:,x", "telnet://h/", "rlogin://h/",
	"tn3270://h/", "x-run:now", "smtp://h/"}

// runPrograms returns schemes whose handler is a program.
func runPrograms() []fetch.Scheme {
	return external.Schemes(&external.Config{Programs: []external.Program{{Scheme: "x-run", Path: "/nowhere"}}})
}

// No scheme refers to these places, unless its own documents are the user's: a mail address refers to its messages.
func TestPromise4NoReferralToPrivatePlaces(t *testing.T) {
	c := fetch.New(append(schemes.All(nil), runPrograms()...)...)
	defer c.Close()
	for _, s := range c.Schemes {
		for _, name := range s.Names {
			from := uri.MustParse(name + ":x")
			for _, to := range privatePlaces {
				if name == "mailto" && to == "mid:a@b" {
					continue // both are in the user's own mail
				}
				if err := c.CheckReferral(from, fetch.Referral{URI: uri.MustParse(to)}); fetch.KindOf(err) != fetch.ErrRedirect {
					t.Errorf("%s may refer to %s: %v, want an error", name, to, err)
				}
			}
		}
	}
}

// A maker is a server that refers to a URI by means of its protocol.
type maker struct {
	name string
	set  *schemes.Config
	uri  string
}

// makers returns one server for each way in which servers can refer to another URI.
func makers(t *testing.T, to string) []maker {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(302)
	}))
	t.Cleanup(web.Close)
	table := func(template string) *schemes.Config {
		return &schemes.Config{URN: &urn.Config{Table: []urn.Entry{{Prefix: "urn:example:", Template: template}}}}
	}
	list := []maker{
		{"http", nil, web.URL + "/"},
		{"urn and then http", table(web.URL + "/x"), "urn:example:x"},
		{"gopher", nil, "gopher://" + says(t, "x") + "/hURL:" + to},
	}
	if host, ok := strings.CutPrefix(to, "whois://"); ok {
		list = append(list, maker{"whois", nil, "whois://" + says(t, "refer: "+strings.TrimSuffix(host, "/")+"\n") + "/away"})
	}
	return list
}

// says starts a server that sends text to every client. It returns the server's address.
func says(t *testing.T, text string) string {
	t.Helper()
	return loopback.ForTest(t, func(c net.Conn) {
		c.Read(make([]byte, 1000))
		fmt.Fprint(c, text)
	})
}

// However a server refers to another URI, the client follows it neither to a private place nor to an address that the policy refuses.
func TestPromise4ReferralsOfServers(t *testing.T) {
	canary, err := loopback.Listen("127.0.0.2:0", func(net.Conn) {})
	if err != nil {
		t.Skip(err)
	}
	defer canary.Close()
	targets := append([]string{}, privatePlaces...)
	for _, scheme := range []string{"http://", "gopher://", "spartan://", "whois://", "ftp://"} {
		targets = append(targets, scheme+canary.Addr()+"/")
	}
	for _, to := range targets {
		for _, m := range makers(t, to) {
			c := fetch.New(append(schemes.All(m.set), runPrograms()...)...)
			c.Policy.Deny = []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}
			d, err := c.Get(t.Context(), uri.MustParse(m.uri), nil)
			if k := fetch.KindOf(err); k != fetch.ErrRedirect && k != fetch.ErrDenied {
				t.Errorf("%s was followed to %s: %v, want an error", m.name, to, err)
			}
			if d != nil {
				d.Body.Close()
			}
			c.Close()
		}
	}
	if n := canary.Peers(); n > 0 {
		t.Errorf("got %d connections to a forbidden address, want none", n)
	}
}
