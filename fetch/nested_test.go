package fetch_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// within returns a handler whose URIs hold those of other objects after the scheme, separated by commas. run is its Run.
func within(run func(ctx context.Context, env *fetch.Env, list []uri.URI) (*fetch.Document, error)) probe {
	list := func(u uri.URI) (all []uri.URI) {
		_, rest, _ := strings.Cut(u.String(), ":")
		for s := range strings.SplitSeq(rest, ",") {
			all = append(all, uri.MustParse(s))
		}
		return all
	}
	return probe{
		plan: func(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
			p := &fetch.Plan{Shape: fetch.ShapeDocument}
			for i, to := range list(u) {
				s := fetch.GetStep(to)
				if i > 0 {
					s.If = "the one before fails"
				}
				p.Steps = append(p.Steps, s)
			}
			return p, nil
		},
		run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
			return run(ctx, env, list(p.URI))
		},
	}
}

// first gets the first object of the list.
func first(ctx context.Context, env *fetch.Env, list []uri.URI) (*fetch.Document, error) {
	return env.Get(ctx, list[0], nil)
}

// mirror gets the first object of the list that can be had.
func mirror(ctx context.Context, env *fetch.Env, list []uri.URI) (*fetch.Document, error) {
	var errs []error
	for _, u := range list {
		d, err := env.Get(ctx, u, nil)
		if err == nil {
			return d, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// unzip decompresses the object.
func unzip(ctx context.Context, env *fetch.Env, list []uri.URI) (*fetch.Document, error) {
	d, err := env.Get(ctx, list[0], nil)
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(d.Body)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrDecode, "%w", err)
	}
	return fetch.NewDocument(fetch.NewBody(r, d.Body.Close)), nil
}

func nesting(name string, run func(context.Context, *fetch.Env, []uri.URI) (*fetch.Document, error)) fetch.Scheme {
	s := scheme(name, within(run))
	s.MayReferTo = []string{"*"}
	return s
}

// A handler transforms the object of another scheme, and an error in the object is one of the outer document.
func TestNestedTransforms(t *testing.T) {
	var zipped strings.Builder
	w := gzip.NewWriter(&zipped)
	io.WriteString(w, "hello, inside")
	w.Close()
	for _, tt := range []struct {
		in, want string
		kind     fetch.Kind
	}{
		{zipped.String(), "hello, inside", ""},
		{zipped.String()[:zipped.Len()-6], "hello, inside", fetch.ErrTruncated},
		{"no gzip at all", "", fetch.ErrDecode},
	} {
		c := fetch.New(nesting("unzip", unzip), scheme("net", giving(tt.in)))
		got, err := get(t, c, "unzip:net:x", nil)
		if got != tt.want || fetch.KindOf(err) != tt.kind {
			t.Errorf("got %q, %v, want %q and the kind %q", got, err, tt.want, tt.kind)
		}
	}
}

// A handler tries several URIs. The conditional ones need not be ones that can be planned.
func TestNestedMirrors(t *testing.T) {
	dead := scheme("dead", failing(fetch.Errorf(fetch.ErrConnect, "nobody is there")))
	c := fetch.New(nesting("mirror", mirror), dead, scheme("net", giving("found")))
	var trace traced
	got, err := get(t, c, "mirror:dead:a,nobody:b,net:c", &fetch.Options{Trace: trace.take})
	if err != nil || got != "found" {
		t.Errorf("got %q, %v, want %q", got, err, "found")
	}
	var steps []string
	for _, e := range trace.all {
		if e.Step != nil && e.Depth == 0 {
			steps = append(steps, e.Step.Line()+" if "+e.Step.If)
		}
	}
	if want := []string{"get dead:a if ", "get net:c if the one before fails"}; !slices.Equal(steps, want) {
		t.Errorf("got the steps %q, want %q", steps, want)
	}
}

// A handler combines several objects into a listing, which is whole only if each of them is.
func TestNestedIndex(t *testing.T) {
	index := func(ctx context.Context, env *fetch.Env, list []uri.URI) (*fetch.Document, error) {
		return fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
			for _, u := range list {
				d, err := env.Get(ctx, u, nil)
				if err != nil {
					yield(fetch.Entry{}, err)
					return
				}
				b, err := io.ReadAll(d.Body)
				d.Body.Close()
				if err != nil || !yield(fetch.Entry{URI: u, Title: string(b), Kind: fetch.KindFile, Size: int64(len(b))}, err) {
					return
				}
			}
		}), nil
	}
	c := fetch.New(nesting("index", index), scheme("a", giving("one")), scheme("b", giving("two")))
	var titles []string
	for e, err := range c.Entries(t.Context(), uri.MustParse("index:a:x,b:y"), nil) {
		if err != nil {
			t.Fatal(err)
		}
		titles = append(titles, e.Title)
	}
	if want := []string{"one", "two"}; !slices.Equal(titles, want) {
		t.Errorf("got %q, want %q", titles, want)
	}
}

// The Plan has the Plans of its steps, without I/O, and one that is refused fails it before anything is contacted.
func TestNestedPlans(t *testing.T) {
	c := fetch.New(nesting("mirror", mirror), nesting("outer", first), scheme("probe", opened()))
	p, err := c.Plan(uri.MustParse("outer:outer:probe://h:7000/a"), nil)
	if err != nil {
		t.Fatal(err)
	}
	inner := p.NestedOf(p.Steps[0])
	if inner == nil || len(inner.Nested) != 1 || inner.Nested[0].Addr != "h:7000" {
		t.Errorf("got the nested plans %+v, want one with one for h:7000", p.Nested)
	}
	b, err := p.MarshalJSON()
	if err != nil || !strings.Contains(string(b), `"nested":[{"uri":"outer:probe://h:7000/a"`) {
		t.Errorf("got %s, %v, want the nested plans", b, err)
	}
	for u, want := range map[string]fetch.Kind{
		"outer:probe://h:25/":            fetch.ErrRefusedPort,
		"outer:probe://-h/":              fetch.ErrRefusedURL,
		"outer:nobody:x":                 fetch.ErrUnsupported,
		"outer:probe://joe:sesame@h/":    fetch.ErrRefusedURL,
		"mirror:probe://h/,probe://h:25": "",
	} {
		if _, err := c.Plan(uri.MustParse(u), nil); fetch.KindOf(err) != want {
			t.Errorf("%s: got %v, want the kind %q", u, err, want)
		}
	}
}

// What a handler may request: MayReferTo, as for referrals. Objects of this machine only if the scheme is itself about this machine, so
// that a link to it is treated as one to them.
func TestPromise4NestedPolicy(t *testing.T) {
	for _, tt := range []struct {
		name, to string
		outer    func(s *fetch.Scheme)
		policy   fetch.Policy
		want     fetch.Kind
	}{
		{"by default nothing", "net:x", func(s *fetch.Scheme) { s.MayReferTo = nil }, fetch.Policy{}, fetch.ErrRedirect},
		{"what the network has", "net:x", func(*fetch.Scheme) {}, fetch.Policy{}, ""},
		{"where the user lets it", "net:x", func(s *fetch.Scheme) { s.MayReferTo = nil }, fetch.Policy{FollowTo: []string{"net"}}, ""},
		{"files not by *", "local:x", func(s *fetch.Scheme) { s.Local, s.OpensLocal = true, true }, fetch.Policy{}, fetch.ErrRedirect},
		{"files not by a scheme of the network", "local:x", func(s *fetch.Scheme) { s.MayReferTo = []string{"local"} }, fetch.Policy{}, fetch.ErrRedirect},
		{"files by a scheme of files", "local:x", func(s *fetch.Scheme) { s.MayReferTo, s.Local, s.OpensLocal = []string{"local"}, true, true }, fetch.Policy{}, ""},
		{"x- not by *", "x-own:x", func(*fetch.Scheme) {}, fetch.Policy{}, fetch.ErrRedirect},
		{"x- where the user lets it", "x-own:x", func(*fetch.Scheme) {}, fetch.Policy{AllowX: true}, ""},
		{"lines of the user", "form:x", func(*fetch.Scheme) {}, fetch.Policy{}, fetch.ErrRedirect},
	} {
		outer := nesting("outer", first)
		tt.outer(&outer)
		local, form := scheme("local", giving("local")), scheme("form", giving("form"))
		local.Local, local.OpensLocal = true, true
		form.UserOnly = func(uri.URI) bool { return true }
		c := fetch.New(outer, scheme("net", giving("net")), local, form, scheme("x-own", giving("x")))
		c.Policy = tt.policy
		if _, err := get(t, c, "outer:"+tt.to, nil); fetch.KindOf(err) != tt.want {
			t.Errorf("%s: got %v, want the kind %q", tt.name, err, tt.want)
		}
	}
}

// The guard holds for nested requests, also for those that no Plan names.
func TestPromise4NestedGuard(t *testing.T) {
	server := listen(t, "")
	hidden := scheme("hidden", probe{plan: giving("").plan, run: func(ctx context.Context, _ *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		return env.Get(ctx, uri.MustParse("probe://"+server.addr+"/"), nil)
	}})
	hidden.MayReferTo = []string{"probe"}
	c := fetch.New(hidden, scheme("probe", opened()))
	c.Policy.Deny = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	_, err := get(t, c, "hidden:x", nil)
	wantKind(t, err, fetch.ErrDenied)
	if n := server.clients(); n != 0 {
		t.Errorf("got %d connections, want none", n)
	}
}

// A request within itself is a loop, whether it is reached directly or by a referral, and requests are bounded in depth and number.
func TestNestedLoopsAndBounds(t *testing.T) {
	at := func(name, to string) fetch.Scheme {
		s := scheme(name, probe{plan: giving("").plan, run: func(ctx context.Context, _ *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
			return env.Get(ctx, uri.MustParse(to), nil)
		}})
		s.MayReferTo = []string{"*"}
		return s
	}
	back := scheme("back", leading(false, "a:x"))
	back.MayReferTo = []string{"*"}
	deeper := scheme("deeper", probe{plan: giving("").plan, run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		return env.Get(ctx, uri.MustParse(p.URI.String()+"x"), nil)
	}})
	many := scheme("many", probe{plan: giving("").plan, run: func(ctx context.Context, _ *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		for range 6 {
			d, err := env.Get(ctx, uri.MustParse("net:x"), nil)
			if err != nil {
				return nil, err
			}
			d.Body.Close()
		}
		return fetch.NewDocument(nil), nil
	}})
	deeper.MayReferTo, many.MayReferTo = []string{"*"}, []string{"*"}
	c := fetch.New(at("a", "b:x"), at("b", "a:x"), at("c", "back:x"), at("d", "d:x"), back, deeper, many, scheme("net", giving("net")))
	c.Limits.Requests = 6
	for u, want := range map[string]string{
		"a:x": "loop", "d:x": "loop", "c:x": "loop", "deeper:x": "more than 6 requests within one", "many:x": "",
	} {
		_, err := get(t, c, u, nil)
		if want == "" && err != nil || want != "" && (!errors.Is(err, fetch.ErrRedirect) || !strings.Contains(fmt.Sprint(err), want)) {
			t.Errorf("%s: got %v, want an error with %q", u, err, want)
		}
	}
	c = fetch.New(deeper)
	c.Limits.Nesting = 3
	if _, err := get(t, c, "deeper:x", nil); !errors.Is(err, fetch.ErrRedirect) || !strings.Contains(fmt.Sprint(err), "more than 3 requests") {
		t.Errorf("got %v, want the bound of requests within requests", err)
	}
}

// Referrals within a nested request count against the budget of the outer one.
func TestNestedReferralBudget(t *testing.T) {
	to := func(name, next string) fetch.Scheme {
		s := scheme(name, leading(false, next))
		s.MayReferTo = []string{"*"}
		return s
	}
	c := fetch.New(to("r1", "outer:r2:x"), nesting("outer", first), to("r2", "r3:x"), to("r3", "net:x"), scheme("net", giving("net")))
	for most, want := range map[int]fetch.Kind{3: "", 2: fetch.ErrRedirect} {
		c.Policy.MaxReferrals = most
		if _, err := get(t, c, "r1:x", nil); fetch.KindOf(err) != want {
			t.Errorf("with %d referrals: got %v, want the kind %q", most, err, want)
		}
	}
}

// Credentials and secret settings are those of the nested URI's own server.
func TestPromise7NestedCredentials(t *testing.T) {
	var used []string
	inner := scheme("spy", changed("", func(p *fetch.Plan, _ *fetch.Document) {
		o := p.Options
		used = append(used, fmt.Sprintf("%s %s:%s %s", p.URI.Host(), o.Login.User, o.Login.Password, o.Get("spy.token")))
	}))
	outer := scheme("outer", probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		for _, u := range []string{"spy://same/", "spy://other/", "spy://named:pw@third/"} {
			for _, o := range []*fetch.Options{nil, p.Options} {
				d, err := env.Get(ctx, uri.MustParse(u), o)
				if err != nil {
					return nil, err
				}
				d.Body.Close()
			}
		}
		return fetch.NewDocument(nil), nil
	}})
	outer.MayReferTo = []string{"*"}
	c := fetch.New(outer, inner)
	o := &fetch.Options{Login: fetch.Login{User: "joe", Password: sesame, Set: true}, Set: map[string][]string{"spy.token": {"t0ken"}}}
	if _, err := get(t, c, "outer://same/", o); err != nil {
		t.Fatal(err)
	}
	want := []string{"same : ", "same : ", "other : ", "other : ", "third named:pw ", "third named:pw "}
	if !slices.Equal(used, want) {
		t.Errorf("got the credentials %q, want %q", used, want)
	}
}

// The trace has the nested conversation, one level deeper, and neither trace nor error has the password of a nested URI.
func TestPromise7NestedTrace(t *testing.T) {
	server := listen(t, "")
	outer := scheme("outer", probe{plan: giving("").plan, run: func(ctx context.Context, _ *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		u := uri.MustParse("probe://joe:" + sesame + "@" + server.addr + "/")
		if _, err := env.Get(ctx, u, nil); err != nil {
			return nil, err
		}
		return nil, fetch.Errorf(fetch.ErrConnect, "%s was of no use", u)
	}})
	outer.MayReferTo = []string{"*"}
	c := fetch.New(outer, scheme("probe", opened()))
	var trace traced
	_, err := get(t, c, "outer:x", &fetch.Options{Trace: trace.take})
	if err == nil || strings.Contains(err.Error(), sesame) || strings.Contains(trace.text.String(), sesame) {
		t.Errorf("got %v and the trace %s, want an error, and no password", err, trace.text.String())
	}
	var depths []int
	for _, e := range trace.all {
		depths = append(depths, e.Depth)
	}
	if len(depths) < 2 || depths[0] != 0 || slices.Max(depths) != 1 {
		t.Errorf("got events of the depths %d, want the step, and those of the nested request", depths)
	}
}

// Timeouts.Total and the caller's context end nested requests, and closing the outer Document ends what its handler has left open.
func TestNestedEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stalled := scheme("stalled", probe{plan: giving("").plan, run: func(ctx context.Context, _ *fetch.Plan, _ *fetch.Env) (*fetch.Document, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		c := fetch.New(nesting("outer", first), stalled)
		c.Timeouts.Total = 5 * time.Second
		began := time.Now()
		_, err := get(t, c, "outer:stalled:x", nil)
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, fetch.ErrTimeout) || took != 5*time.Second {
			t.Errorf("got %v after %s, want a timeout after 5s", err, took)
		}
	})
	server := listen(t, "")
	var left *fetch.Document
	outer := scheme("outer", probe{plan: giving("").plan, run: func(ctx context.Context, _ *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		var err error
		left, err = env.Get(ctx, uri.MustParse("asking://"+server.addr+"/"), nil)
		return fetch.NewDocument(nil), err
	}})
	outer.MayReferTo = []string{"*"}
	c := fetch.New(outer, scheme("asking", asking(nil)))
	d := mustGet(t, c, "outer:x", nil)
	if d.Connections != 1 {
		t.Errorf("got %d connections, want the nested one", d.Connections)
	}
	d.Body.Close()
	if _, err := left.Body.Read(make([]byte, 1)); err == nil || err == io.EOF {
		t.Errorf("got %v, want an error after the outer document was closed", err)
	}
	left.Body.Close()
}
