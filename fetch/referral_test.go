package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// leading is a handler that returns referrals to the given URIs.
func leading(own bool, to ...string) probe {
	return changed("a referral", func(_ *fetch.Plan, d *fetch.Document) {
		for _, s := range to {
			d.Referrals = append(d.Referrals, fetch.Referral{URI: uri.MustParse(s), Reason: "test", Own: own})
		}
	})
}

// The targets that a referral may have by default, and the options that permit others.
func TestPromise4ReferralPolicy(t *testing.T) {
	local := scheme("local", giving("local"))
	local.Local = true
	x := scheme("x-own", giving("x"))
	session := scheme("session", giving("session"))
	session.Does.Session = true
	for _, tt := range []struct {
		name    string
		to      string
		leadsTo []string
		own     bool
		policy  fetch.Policy
		want    string // the body, "" refused
	}{
		{"nowhere by itself", "net:x", nil, false, fetch.Policy{}, ""},
		{"where it is known to lead", "net:x", []string{"net"}, false, fetch.Policy{}, "net"},
		{"to whatever retrieves", "net:x", []string{"*"}, false, fetch.Policy{}, "net"},
		{"whatever is not local", "local:x", []string{"*"}, false, fetch.Policy{}, ""},
		{"everything but sessions", "session:x", []string{"*"}, false, fetch.Policy{}, ""},
		{"local by the user's word", "local:x", nil, true, fetch.Policy{}, "local"},
		{"local where the user lets it", "local:x", nil, false, fetch.Policy{FollowTo: []string{"LOCAL"}}, "local"},
		{"x- not by *", "x-own:x", []string{"*"}, false, fetch.Policy{}, ""},
		{"x- where the user lets it", "x-own:x", nil, false, fetch.Policy{AllowX: true}, "x"},
		{"x- by the user's word", "x-own:x", nil, true, fetch.Policy{}, "x"},
		{"unknown", "nobody:x", []string{"*"}, false, fetch.Policy{}, ""},
		{"other letters of case", "NET:x", []string{"net"}, false, fetch.Policy{}, "net"},
		{"none at all", "net:x", []string{"net"}, false, fetch.Policy{MaxReferrals: -1}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			from := scheme("from", leading(tt.own, tt.to))
			from.MayReferTo = tt.leadsTo
			c := fetch.New(from, scheme("net", giving("net")), local, x, session)
			c.Policy = tt.policy
			body, err := get(t, c, "from:start", nil)
			if tt.want != "" {
				if err != nil || body != tt.want {
					t.Errorf("got %q, %v, want %q", body, err, tt.want)
				}
				return
			}
			wantKind(t, err, fetch.ErrRedirect)
			if body != "a referral" {
				t.Errorf("the document that was not followed is %q", body)
			}
		})
	}
}

// A link that a user has chosen may refer to any network scheme, but a server cannot make it open a local file.
func TestPromise4ChosenLinks(t *testing.T) {
	file, x, data := scheme("file", giving("file")), scheme("x-own", giving("x")), scheme("data", giving("data"))
	file.Local, file.OpensLocal, x.Local, x.OpensLocal, data.Local = true, true, true, true, true
	for _, tt := range []struct {
		from, to string
		policy   fetch.Policy
		want     fetch.Kind
	}{
		{"net:x", "other:x", fetch.Policy{}, ""},
		{"net:x", "data:,x", fetch.Policy{}, ""},
		{"net:x", "nobody:x", fetch.Policy{}, ""}, // the Client itself reports this
		{"net:x", "file:/x", fetch.Policy{}, fetch.ErrRedirect},
		{"data:,x", "FILE:/x", fetch.Policy{}, fetch.ErrRedirect},
		{"net:x", "x-own:x", fetch.Policy{}, fetch.ErrRedirect},
		{"net:x", "file:/x", fetch.Policy{FollowTo: []string{"file"}}, ""},
		{"net:x", "x-own:x", fetch.Policy{AllowX: true}, ""},
		{"file:/x", "file:/y", fetch.Policy{}, ""},
		{"file:/x", "net:x", fetch.Policy{}, ""},
	} {
		c := fetch.New(scheme("net", giving("net")), scheme("other", giving("other")), file, x, data)
		c.Policy = tt.policy
		if err := c.CheckLink(uri.MustParse(tt.from), uri.MustParse(tt.to)); fetch.KindOf(err) != tt.want {
			t.Errorf("%s to %s: %v, want %q", tt.from, tt.to, err, tt.want)
		}
	}
}

func TestReferralIsTheDocumentWhereNobodyFollows(t *testing.T) {
	from := scheme("from", leading(true, "net:x"))
	c := fetch.New(from, scheme("net", giving("net")))
	c.Policy.NoFollow = true
	d := mustGet(t, c, "from:start", nil)
	defer d.Body.Close()
	if b, _ := io.ReadAll(d.Body); string(b) != "a referral" || len(d.Referrals) != 1 {
		t.Errorf("got %q, %v, want a referral, not followed", b, d.Referrals)
	}
}

// A referral back to the URI without the credentials or the search words is another request, and is followed once.
func TestReferralBackToAnotherRequest(t *testing.T) {
	for _, tt := range []struct {
		name string
		from string
		o    *fetch.Options
	}{
		{"search", "a:1", &fetch.Options{Search: []string{"x"}}},
		{"credentials", "a://u:p@h/", nil},
	} {
		asked, to := 0, tt.from
		if tt.name == "credentials" {
			to = "a://v:q@h/"
		}
		s := scheme("a", changed("there", func(_ *fetch.Plan, d *fetch.Document) {
			if asked++; asked == 1 {
				d.Referrals = []fetch.Referral{{URI: uri.MustParse(to)}}
			}
		}))
		s.MayReferTo, s.Searches, s.Rules.Hierarchical = []string{"a"}, true, true
		if got, err := get(t, fetch.New(s), tt.from, tt.o); err != nil || got != "there" || asked != 2 {
			t.Errorf("%s: got %q, %v after %d requests, want there after 2", tt.name, got, err, asked)
		}
	}
}

// Limits.Document does not apply to the body of a redirect, since that is not the document.
func TestLimitIsOfTheDocument(t *testing.T) {
	for _, noFollow := range []bool{false, true} {
		from := scheme("from", changed("a referral", func(_ *fetch.Plan, d *fetch.Document) {
			d.Size, d.Referrals = int64(len("a referral")), []fetch.Referral{{URI: uri.MustParse("net:x")}}
		}))
		from.MayReferTo = []string{"net"}
		c := fetch.New(from, scheme("net", giving("net")))
		c.Limits.Document, c.Policy.NoFollow = 5, noFollow
		got, err := get(t, c, "from:x", nil)
		if want := map[bool]fetch.Kind{true: fetch.ErrLimit}[noFollow]; fetch.KindOf(err) != want || want == "" && (err != nil || got != "net") {
			t.Errorf("NoFollow %t: got %q, %v, want %q", noFollow, got, err, want)
		}
	}
}

func TestPromise5ReferralsInACircle(t *testing.T) {
	a, b := scheme("a", leading(false, "b:1#x")), scheme("b", leading(false, "a:1"))
	a.MayReferTo, b.MayReferTo = []string{"b"}, []string{"a"}
	_, err := get(t, fetch.New(a, b), "a:1", nil)
	wantKind(t, err, fetch.ErrRedirect)
	if err == nil || !strings.Contains(err.Error(), "loop") {
		t.Errorf("got %v, want an error about a loop", err)
	}
}

// Each document refers to the next one.
func TestPromise5TooManyReferrals(t *testing.T) {
	for _, tt := range []struct{ most, want int }{{0, 11}, {3, 4}, {-1, 1}} {
		runs := 0
		s := scheme("a", changed("x", func(_ *fetch.Plan, d *fetch.Document) {
			runs++
			d.Referrals = []fetch.Referral{{URI: uri.MustParse(fmt.Sprintf("a:%d", runs))}}
		}))
		s.MayReferTo = []string{"a"}
		c := fetch.New(s)
		c.Policy.MaxReferrals = tt.most
		_, err := get(t, c, "a:start", nil)
		wantKind(t, err, fetch.ErrRedirect)
		if runs != tt.want {
			t.Errorf("MaxReferrals %d: %d documents", tt.most, runs)
		}
	}
}

// The second referral is followed if the first one fails.
func TestReferralsAreTriedInOrder(t *testing.T) {
	from := scheme("from", leading(false, "gone:x", "net:x"))
	from.MayReferTo = []string{"net", "gone"}
	gone := scheme("gone", failing(fetch.Errorf(fetch.ErrNotFound, "it is gone")))
	c := fetch.New(from, scheme("net", giving("net")), gone)
	d := mustGet(t, c, "from:x#part", nil)
	defer d.Body.Close()
	if len(d.Via) != 1 || d.Via[0].URI.String() != "net:x" || d.URI.String() != "net:x" || d.Fragment != "part" {
		t.Errorf("got %+v, want net:x after one referral, and the fragment part", d)
	}
}

// A candidate with an untrusted certificate ends the search, because an attacker in between could otherwise choose the next candidate.
func TestPromise8NoOtherCandidateAfterTLS(t *testing.T) {
	from := scheme("from", leading(false, "secure:x", "net:x"))
	from.MayReferTo = []string{"net", "secure"}
	secure := scheme("secure", failing(fetch.Errorf(fetch.ErrTLS, "unknown authority")))
	c := fetch.New(from, scheme("net", giving("net")), secure)
	body, err := get(t, c, "from:x", nil)
	wantKind(t, err, fetch.ErrTLS)
	if body != "" {
		t.Errorf("got %q, want nothing", body)
	}
}

// Options bound to a server apply only to its scheme, host and port.
func TestPromise7CredentialsStayWithTheirOrigin(t *testing.T) {
	for _, tt := range []struct {
		to   string
		kept bool
	}{
		{"a://host/2", true}, {"a://host:7000/2", true}, {"a://HOST/2", true},
		{"a://host:7001/2", false}, {"a://host.evil/2", false}, {"b://host/2", false}, {"a://127.0.0.1/2", false},
	} {
		var got fetch.Options
		h := changed("", func(p *fetch.Plan, d *fetch.Document) {
			got = *p.Options
			if p.URI.Path() == "/1" {
				d.Referrals = []fetch.Referral{{URI: uri.MustParse(tt.to)}}
			}
		})
		a, b := scheme("a", h), scheme("b", h)
		a.MayReferTo = []string{"a", "b"}
		_, err := get(t, fetch.New(a, b), "a://host/1", &fetch.Options{
			Login: fetch.Login{User: "alice", Password: "sesame", Set: true},
			Set:   map[string][]string{"a.token": {"sesame"}, "a.colour": {"red"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if kept := got.Login.Password == "sesame"; kept != tt.kept {
			t.Errorf("%s is given the password: %v", tt.to, kept)
		}
		if kept := got.Get("a.token") == "sesame"; kept != tt.kept {
			t.Errorf("%s is given the secret setting: %v", tt.to, kept)
		}
		if got.Get("a.colour") != "red" {
			t.Errorf("%s: got no setting that is not secret, want it kept", tt.to)
		}
	}
}

// Credentials for a host on any port are not sent in clear after a redirect from TLS, not even by way of a third server.
func TestPromise7NoLoginByHostInClearAfterTLS(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		byHost   bool
		given    bool
	}{
		{"s://host/1", "a://host/2", true, false},
		{"s://host/1", "a://host/2", false, true}, // known for that very server
		{"s://host/1", "s://host:99/2", true, true},
		{"s://host/1", "a://other/3?a://host/2", true, false},
		{"a://host/1", "a://host:99/2", true, true},
		{"a://host/1", "s://host/2", true, true},
	} {
		var got fetch.Login
		of := func(tls fetch.TLSMode) probe {
			h := changed("", func(p *fetch.Plan, d *fetch.Document) {
				query, _ := p.URI.Query()
				switch p.URI.Path() {
				case "/1":
					d.Referrals = []fetch.Referral{{URI: uri.MustParse(tt.to)}}
				case "/3":
					d.Referrals = []fetch.Referral{{URI: uri.MustParse(string(query))}}
				default:
					got = p.Options.Login
				}
			})
			h.plan = func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
				return &fetch.Plan{URI: u, Network: "tcp", Addr: "192.0.2.1:7000", TLS: tls, Shape: fetch.ShapeDocument}, nil
			}
			return h
		}
		a, s := scheme("a", of(fetch.NoTLS)), scheme("s", of(fetch.ImplicitTLS))
		a.MayReferTo, s.MayReferTo = []string{"a", "s"}, []string{"a", "s"}
		a.LoginFirst, s.LoginFirst = true, true
		c := fetch.New(a, s)
		c.Logins = func(_ context.Context, r fetch.LoginRequest) (fetch.Login, error) {
			return fetch.Login{User: "ann", Password: "sesame", Set: r.Host == "host", ByHost: tt.byHost}, nil
		}
		if _, err := get(t, c, tt.from, nil); err != nil {
			t.Fatal(err)
		}
		if given := got.Password != ""; given != tt.given {
			t.Errorf("%s to %s, by host %t: the password is given: %t", tt.from, tt.to, tt.byHost, given)
		}
	}
}

// The referrals of a server are bounded in number, and not only in depth: each of its documents may refer to several others.
func TestPromise5ReferralsAreBoundedInTotal(t *testing.T) {
	requests := 0
	from := scheme("from", probe{plan: giving("").plan, run: func(_ context.Context, p *fetch.Plan, _ *fetch.Env) (*fetch.Document, error) {
		if requests++; strings.Count(p.URI.String(), "/") == 4 {
			return nil, fetch.Errorf(fetch.ErrNotFound, "the end of this way")
		}
		d := fetch.NewDocument(nil)
		for i := range 9 {
			d.Referrals = append(d.Referrals, fetch.Referral{URI: uri.MustParse(fmt.Sprintf("%s/%d", p.URI, i)), Reason: "test"})
		}
		return d, nil
	}})
	from.MayReferTo = []string{"from"}
	c := fetch.New(from)
	c.Limits.Requests = 50
	if _, err := get(t, c, "from:start", nil); err == nil {
		t.Error("got a document, want an error")
	}
	if requests > 51 {
		t.Errorf("got %d requests, want at most 51", requests)
	}
}

// A document is returned with the error only if it can still be read: not after one of its referrals was followed in vain.
func TestReferralsRefusedAndInVain(t *testing.T) {
	gone := scheme("gone", failing(fetch.Errorf(fetch.ErrNotFound, "gone")))
	from := scheme("from", leading(false, "net:x", "gone:x"))
	from.MayReferTo = []string{"gone"}
	d, err := fetch.New(from, gone, scheme("net", giving("net"))).Get(t.Context(), uri.MustParse("from:start"), nil)
	wantKind(t, err, fetch.ErrRedirect)
	if d != nil {
		b, err := io.ReadAll(d.Body)
		t.Errorf("got a document that reads as %q, %v; want none", b, err)
	}
}

// The error distinguishes a referral that the Policy does not let be followed from one that cannot be followed.
func TestNotFollowed(t *testing.T) {
	for _, tt := range []struct {
		to     string
		policy fetch.Policy
		want   bool
	}{
		{"net:x", fetch.Policy{}, true},
		{"net:x", fetch.Policy{FollowTo: []string{"net"}, NeverTo: []string{"NET"}}, true},
		{"x-own:x", fetch.Policy{}, true},
		{"nobody:x", fetch.Policy{}, true},
		{"from:start", fetch.Policy{FollowTo: []string{"from"}}, false}, // a loop
	} {
		c := fetch.New(scheme("from", leading(false, tt.to)), scheme("net", giving("net")))
		c.Policy = tt.policy
		_, err := get(t, c, "from:start", nil)
		if e, ok := errors.AsType[*fetch.Error](err); !ok || e.Kind != fetch.ErrRedirect || e.NotFollowed != tt.want {
			t.Errorf("%s with %+v: got %+v, want NotFollowed %t", tt.to, tt.policy, err, tt.want)
		}
	}
}
