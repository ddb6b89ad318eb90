package fetch_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// TestSettingValues: a handler sees only values that its scheme has declared, in the declared spelling.
func TestSettingValues(t *testing.T) {
	s := scheme("x", probe{})
	s.Settings = []fetch.Setting{{Key: "x.way", Values: "short long"}, {Key: "x.free"}}
	c := fetch.New(s)
	for _, tt := range []struct {
		key, value, want string
		kind             fetch.Kind
	}{
		{"x.way", "short", "short", ""},
		{"x.way", "LONG", "long", ""},
		{"x.way", "", "", ""}, // as if it were not set
		{"x.way", "short long", "", fetch.ErrUnsupported},
		{"x.way", "sho", "", fetch.ErrUnsupported},
		{"x.free", "Anything", "Anything", ""},
		{"x.none", "short", "", fetch.ErrUnsupported},
	} {
		given := []string{tt.value}
		p, err := c.Plan(uri.MustParse("x://h/"), &fetch.Options{Set: map[string][]string{tt.key: given}})
		if fetch.KindOf(err) != tt.kind || given[0] != tt.value {
			t.Errorf("%s=%s: %v, %q", tt.key, tt.value, err, given)
		}
		if err == nil && p.Options.Get(tt.key) != tt.want {
			t.Errorf("%s=%s: the handler sees %q", tt.key, tt.value, p.Options.Get(tt.key))
		}
	}
}

// TestFragmentAsksForPart: a fragment for which the scheme has a setting selects a part. An explicit setting takes precedence, and the
// Client leaves other fragments to the caller.
func TestFragmentAsksForPart(t *testing.T) {
	s := scheme("x", probe{})
	s.Settings = []fetch.Setting{{Key: "x.part"}}
	s.Fragment = func(f string) (string, string) {
		if f == "part 2" {
			return "x.part", "2"
		}
		return "", ""
	}
	c := fetch.New(s)
	if p, err := c.Plan(uri.MustParse("x://h/#part%202"), nil); err != nil || p.Options.Get("x.part") != "" {
		t.Errorf("the whole is the default, and not %v, %v", p.Options.Set, err)
	}
	for _, tt := range []struct {
		u, want string
		set     map[string][]string
	}{
		{"x://h/#part%202", "2", nil},
		{"x://h/#top", "", nil},
		{"x://h/", "", nil},
		{"x://h/#part%202", "3", map[string][]string{"x.part": {"3"}}},
	} {
		p, err := c.Plan(uri.MustParse(tt.u), &fetch.Options{Set: tt.set, Part: true})
		if err != nil || p.Options.Get("x.part") != tt.want {
			t.Errorf("%s: %v, %v", tt.u, p.Options.Set, err)
		}
		if _, has := p.URI.Fragment(); has {
			t.Errorf("%s: the plan has the fragment", tt.u)
		}
	}
}

// TestGapsAreTold checks that gaps are reported once, at the end, however the document is read.
func TestGapsAreTold(t *testing.T) {
	list := func(yield func(fetch.Entry, error) bool) { yield(fetch.Entry{Title: "one"}, nil) }
	c := fetch.New(scheme("x", probe{run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
		d := fetch.NewListing(list)
		d.Missing = 7
		return d, nil
	}}))
	for name, read := range map[string]func(*fetch.Document){
		"octets": func(d *fetch.Document) { io.Copy(io.Discard, d.Body) },
		"entries": func(d *fetch.Document) {
			for range d.Entries {
			}
		},
	} {
		told := 0
		d, err := c.Get(context.Background(), uri.MustParse("x://h/"), &fetch.Options{Trace: func(e fetch.Event) {
			if e.Note == "7 missing, passed over" {
				told++
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		read(d)
		d.Body.Close()
		if told != 1 {
			t.Errorf("%s: told %d times", name, told)
		}
	}
}

// The settings of Client.Settings apply to their server only, after those of the request, and not to referrals.
func TestSettingsOfAServer(t *testing.T) {
	seen := map[string]string{}
	h := changed("the document", func(p *fetch.Plan, d *fetch.Document) {
		seen[p.URI.String()] = strings.Join(p.Options.Set["a.key"], ",") + ";" + p.Options.Get("a.other")
		if p.URI.Scheme() == "a" {
			d.Referrals = []fetch.Referral{{URI: uri.MustParse("b://two/"), Own: true}}
		}
	})
	a, b := scheme("a", h), scheme("b", h)
	a.Rules.DefaultPort, b.Rules.DefaultPort = 1000, 1000
	a.Settings = []fetch.Setting{{Key: "a.key"}, {Key: "a.other"}}
	for _, tt := range []struct {
		set  map[string][]string
		want string
	}{
		{nil, "one,two;"},
		{map[string][]string{"a.other": {"x"}}, "one,two;x"},
		{map[string][]string{"a.key": {"mine"}}, "mine;"},
	} {
		c := fetch.New(a, b)
		c.Settings = func(u uri.URI) map[string][]string {
			if c.Schemes.Origin(u) == "a://one:1000" {
				return map[string][]string{"a.key": {"one", "two"}}
			}
			return nil
		}
		clear(seen)
		if _, err := get(t, c, "a://ONE/x", &fetch.Options{Set: tt.set}); err != nil {
			t.Fatal(err)
		}
		carried := ";" + strings.TrimPrefix(tt.want, "one,two;")
		if tt.set["a.key"] != nil {
			carried = tt.want // settings of the request follow a referral to another scheme
		}
		if seen["a://ONE/x"] != tt.want || seen["b://two/"] != carried {
			t.Errorf("%v: %v", tt.set, seen)
		}
	}
	c := fetch.New(a, b)
	c.Settings = func(uri.URI) map[string][]string { return map[string][]string{"no.such": {"x"}} }
	_, err := get(t, c, "a://one/x", nil)
	wantKind(t, err, fetch.ErrUnsupported)
}
