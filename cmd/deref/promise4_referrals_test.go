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
	"example.org/deref/schemes"
	"example.org/deref/schemes/external"
	"example.org/deref/schemes/urn"
	"example.org/deref/uri"
)

// privatePlaces are places that no server's word leads to by itself, whoever says it: files, programs, the user's own mail, sessions, messages
// to be sent, and documents that the referral itself holds.
var privatePlaces = []string{"file:///etc/passwd", "afs:/x/y", "cid:a@b", "mailto:a@b", "mid:a@b", "data:,x", "telnet://h/", "rlogin://h/", "tn3270://h/", "x-run:now", "smtp://h/"}

// runPrograms are the schemes of programs.
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
					continue // what is found there is in the user's own mail, and so is the way to it
				}
				if err := c.MayFollow(from, fetch.Referral{URI: uri.MustParse(to)}); fetch.KindOf(err) != fetch.ErrRedirect {
					t.Errorf("%s may refer to %s: %v, want an error", name, to, err)
				}
			}
		}
	}
}

// A maker is a server that refers to a URI by the means of its protocol.
type maker struct {
	name string
	set  *schemes.Config
	uri  string
}

// makers are the ways in which servers lead elsewhere by the words that they say.
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

// says is a server that says a text to whoever connects.
func says(t *testing.T, text string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Read(make([]byte, 1000))
			fmt.Fprint(c, text)
			c.Close()
		}
	}()
	return l.Addr().String()
}

// However a server refers elsewhere, the client follows it neither to a private place nor to an address that the policy refuses.
func TestPromise4ReferralsOfServers(t *testing.T) {
	canary, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skip(err)
	}
	defer canary.Close()
	called := make(chan bool, 100)
	go func() {
		for {
			c, err := canary.Accept()
			if err != nil {
				return
			}
			called <- true
			c.Close()
		}
	}()
	targets := append([]string{}, privatePlaces...)
	for _, scheme := range []string{"http://", "gopher://", "spartan://", "whois://", "ftp://"} {
		targets = append(targets, scheme+canary.Addr().String()+"/")
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
	select {
	case <-called:
		t.Error("a forbidden address was contacted")
	default:
	}
}
