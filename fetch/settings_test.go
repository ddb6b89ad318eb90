package fetch_test

import (
	"context"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// The settings of Client.Settings apply to their server only, after those of the request, and not to referrals.
func TestSettingsOfAServer(t *testing.T) {
	seen := map[string]string{}
	h := leading(true, "b://two/")
	run := h.run
	h.run = func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		seen[p.URI.String()] = strings.Join(p.Options.Set["a.key"], ",") + ";" + p.Options.Get("a.other")
		return run(ctx, p, env)
	}
	end := giving("the end")
	endRun := end.run
	end.run = func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		seen[p.URI.String()] = strings.Join(p.Options.Set["a.key"], ",") + ";" + p.Options.Get("a.other")
		return endRun(ctx, p, env)
	}
	a, b := scheme("a", h), scheme("b", end)
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
