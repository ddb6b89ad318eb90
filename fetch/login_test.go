package fetch_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// locked is a handler whose server wants joe and the password.
func locked(sent *[]string, password string) probe {
	return probe{
		plan: func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
			addr, err := u.HostPort(7000)
			p := &fetch.Plan{Network: "tcp", Addr: addr, Shape: fetch.ShapeDocument}
			if o.Login.Set {
				p.Steps = []fetch.Step{{Verb: "LOGIN", Args: []string{o.Login.User, o.Login.Password}, Secret: true}}
			}
			return p, err
		},
		run: func(_ context.Context, p *fetch.Plan, _ *fetch.Env) (*fetch.Document, error) {
			l := p.Options.Login
			*sent = append(*sent, strings.ToLower(strings.TrimSuffix(p.Addr, ":7000"))+" "+l.User+":"+l.Password)
			if l.User != "joe" || l.Password != password {
				e := fetch.Errorf(fetch.ErrAuth, "no")
				e.Asks, e.Realm = true, "the cellar"
				return nil, e
			}
			if to, ok := p.URI.Query(); ok {
				d := fetch.NewDocument(nil)
				d.Referrals = []fetch.Referral{{URI: uri.MustParse(to.Decode())}}
				return d, nil
			}
			return fetch.NewDocument(io.NopCloser(strings.NewReader("wine"))), nil
		},
	}
}

// Logins is called when the server asks, with everything that a prompt shows, and again when it refuses the answer.
func TestLoginsWhenTheServerAsks(t *testing.T) {
	type answer = fetch.Login
	joe := answer{User: "joe", Password: sesame, Set: true}
	wrong := answer{User: "joe", Password: "guess", Set: true}
	for _, tt := range []struct {
		name    string
		uri     string
		o       fetch.Login
		answers []answer
		want    []string // the questions
		sent    []string
		kind    fetch.Kind
	}{
		{"asked", "lock://h:7001/", answer{}, []answer{joe}, []string{"lock h 7001 user= realm=the cellar attempt=1 asked=true"}, []string{"h:7001 :", "h:7001 joe:" + sesame}, ""},
		{"again", "lock://h/", answer{}, []answer{wrong, joe}, []string{"lock h 7000 user= realm=the cellar attempt=1 asked=true", "lock h 7000 user= realm=the cellar attempt=2 asked=true"},
			[]string{"h :", "h joe:guess", "h joe:" + sesame}, ""},
		{"no answer", "lock://h/", answer{}, nil, []string{"lock h 7000 user= realm=the cellar attempt=1 asked=true"}, []string{"h :"}, fetch.ErrAuth},
		{"the same answer", "lock://h/", answer{}, []answer{wrong, wrong, wrong}, []string{"lock h 7000 user= realm=the cellar attempt=1 asked=true", "lock h 7000 user= realm=the cellar attempt=2 asked=true"},
			[]string{"h :", "h joe:guess"}, fetch.ErrAuth},
		{"a named user", "lock://joe@h/", answer{}, []answer{joe}, []string{"lock h 7000 user=joe realm=the cellar attempt=1 asked=true"}, []string{"h :", "h joe:" + sesame}, ""},
		{"another user", "lock://eve@h/", answer{}, []answer{joe}, []string{"lock h 7000 user=eve realm=the cellar attempt=1 asked=true", "lock h 7000 user=eve realm=the cellar attempt=2 asked=true"},
			[]string{"h :", "h eve:"}, fetch.ErrAuth},
		{"given", "lock://h/", joe, nil, nil, []string{"h joe:" + sesame}, ""},
		{"given and wrong", "lock://h/", wrong, []answer{joe}, nil, []string{"h joe:guess"}, fetch.ErrAuth},
		{"given and empty", "lock://h/", answer{User: "joe", Set: true, Empty: true}, []answer{joe}, nil, []string{"h joe:"}, fetch.ErrAuth},
		{"in the URI", "lock://joe:" + sesame + "@h/", wrong, nil, nil, []string{"h joe:" + sesame}, ""},
	} {
		var sent, asked []string
		c := fetch.New(scheme("lock", locked(&sent, sesame)))
		c.Logins = func(_ context.Context, r fetch.LoginRequest) (fetch.Login, error) {
			asked = append(asked, fmt.Sprintf("%s %s %d user=%s realm=%s attempt=%d asked=%t", r.Scheme, r.Host, r.Port, r.User, r.Realm, r.Attempt, r.Asked))
			if r.Attempt > len(tt.answers) {
				return fetch.Login{}, nil
			}
			return tt.answers[r.Attempt-1], nil
		}
		_, err := get(t, c, tt.uri, &fetch.Options{Login: tt.o})
		if fetch.KindOf(err) != tt.kind || !slices.Equal(asked, tt.want) {
			t.Errorf("%s: got %v and the questions %q, want the kind %q and %q", tt.name, err, asked, tt.kind, tt.want)
		}
		if !slices.Equal(sent, tt.sent) {
			t.Errorf("%s: got the logins %q, want %q", tt.name, sent, tt.sent)
		}
	}
}

// Logins is called when a server asks, and for protocols in which the client names a user first. Planning alone does not call it.
func TestLoginsIsNotCalledWithoutNeed(t *testing.T) {
	for _, first := range []bool{false, true} {
		s := scheme("a", giving("free"))
		s.LoginFirst = first
		c := fetch.New(s)
		var asked []fetch.LoginRequest
		c.Logins = func(_ context.Context, r fetch.LoginRequest) (fetch.Login, error) {
			asked = append(asked, r)
			return fetch.Login{}, nil
		}
		if _, err := c.Plan(uri.MustParse("a://h/"), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := get(t, c, "a://h/", nil); err != nil {
			t.Fatal(err)
		}
		want := map[bool]int{true: 2}[first]
		if len(asked) != want || slices.ContainsFunc(asked, func(r fetch.LoginRequest) bool { return r.Asked || r.Attempt != 1 }) {
			t.Errorf("LoginFirst %t: got the questions %+v, want %d", first, asked, want)
		}
	}
}

// An answer that the server has accepted is used again for the same scheme, host and port, without a question, and for no other server. So
// is Options.Login, which no referral takes along.
func TestPromise7LoginsOfOneServer(t *testing.T) {
	var sent []string
	l := scheme("lock", locked(&sent, sesame))
	l.MayReferTo = []string{"lock"}
	c := fetch.New(l)
	questions := 0
	c.Logins = func(_ context.Context, r fetch.LoginRequest) (fetch.Login, error) {
		questions++
		return fetch.Login{User: "joe", Password: sesame, Set: r.Host == "h" && r.Port == 7000}, nil
	}
	for _, u := range []string{"lock://h/", "lock://h/", "lock://h:7001/", "lock://other/", "lock://h/?lock://other/"} {
		get(t, c, u, nil)
	}
	want := []string{"h :", "h joe:" + sesame, "h joe:" + sesame, "h:7001 :", "other :", "h joe:" + sesame, "other :"}
	if !slices.Equal(sent, want) || questions != 4 {
		t.Errorf("got the logins %q and %d questions, want %q and 4", sent, questions, want)
	}
	c, sent = fetch.New(l), nil
	o := &fetch.Options{Login: fetch.Login{User: "joe", Password: sesame, Set: true}}
	for _, to := range []string{"lock://h/", "lock://h:7001/", "lock://other/", "lock://H:7000/"} {
		get(t, c, "lock://h/?"+to, o)
	}
	want = []string{"h joe:" + sesame, "h joe:" + sesame, "h joe:" + sesame, "h:7001 :", "h joe:" + sesame, "other :", "h joe:" + sesame, "h joe:" + sesame}
	if !slices.Equal(sent, want) {
		t.Errorf("got the logins %q, want %q", sent, want)
	}
}

// Credentials in a URI take precedence over those of the options, and these over those of Logins. The handler does not see a password in a URI.
func TestLogins(t *testing.T) {
	for _, tt := range []struct {
		u         string
		opt       fetch.Login
		known     fetch.Login
		want      fetch.Login
		wantAsked bool
	}{
		{u: "a://h/", want: fetch.Login{}, wantAsked: true},
		{u: "a://bob:pw@h/", opt: fetch.Login{User: "x", Password: "y", Set: true}, want: fetch.Login{User: "bob", Password: "pw", Set: true}},
		{u: "a://h/", opt: fetch.Login{User: "x", Password: "y", Set: true}, want: fetch.Login{User: "x", Password: "y", Set: true}},
		{u: "a://h/", known: fetch.Login{User: "n", Password: "rc", Set: true}, want: fetch.Login{User: "n", Password: "rc", Set: true},
			wantAsked: true},
		{u: "a://bob@h/", known: fetch.Login{User: "bob", Password: "rc", Set: true}, want: fetch.Login{User: "bob", Password: "rc", Set: true},
			wantAsked: true},
		{u: "a://bob@h/", known: fetch.Login{User: "eve", Password: "rc", Set: true}, want: fetch.Login{User: "bob", Set: true}, wantAsked: true},
		{u: "a://bob@h/", opt: fetch.Login{User: "bob", Password: "pw", Set: true}, want: fetch.Login{User: "bob", Password: "pw", Set: true}},
		{u: "a://bob@h/", opt: fetch.Login{User: "eve", Password: "pw", Set: true}, want: fetch.Login{User: "bob", Set: true}, wantAsked: true},
	} {
		var got fetch.Login
		var planned string
		h := giving("")
		h.plan = func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
			got, planned = o.Login, u.String()
			return &fetch.Plan{}, nil
		}
		a := scheme("a", h)
		a.LoginFirst = true
		c := fetch.New(a)
		asked := false
		c.Logins = func(context.Context, fetch.LoginRequest) (fetch.Login, error) { asked = true; return tt.known, nil }
		if _, err := c.Plan(uri.MustParse(tt.u), &fetch.Options{Login: tt.opt}); err != nil {
			t.Error(err)
		}
		if got != tt.want || asked != tt.wantAsked {
			t.Errorf("%s with %v and %v: %v, asked %v", tt.u, tt.opt, tt.known, got, asked)
		}
		if strings.Contains(planned, "pw") {
			t.Errorf("the handler sees the password in %s", planned)
		}
	}
}
