package fetch_test

import (
	"encoding/json"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// TestStepsHoldNoSecondLine checks that a line end is refused in every argument, before and after Data.
func TestStepsHoldNoSecondLine(t *testing.T) {
	for _, s := range []fetch.Step{{Verb: "A\n"}, {Verb: "A", Args: []string{"b", "c\rd"}},
		{Verb: "A", Data: "b", Tail: []string{"0", "1\x00"}}} {
		h := giving("")
		h.plan = func(uri.URI, *fetch.Options) (*fetch.Plan, error) { return &fetch.Plan{Steps: []fetch.Step{s}}, nil }
		_, err := fetch.New(scheme("a", h)).Plan(uri.MustParse("a://h/"), nil)
		wantKind(t, err, fetch.ErrRefusedURL)
	}
}

// TestStepsAsJSON: the JSON of a secret step contains only its verb.
func TestStepsAsJSON(t *testing.T) {
	s := fetch.Step{Verb: "A", Args: []string{"b"}, Data: "c", Tail: []string{"d"}}
	for want, s := range map[string]fetch.Step{
		`{"verb":"A","args":["b"],"data":"c","tail":["d"]}`: s,
		`{"verb":"A","secret":true}`:                        {Verb: s.Verb, Args: s.Args, Data: s.Data, Tail: s.Tail, Secret: true},
	} {
		h := giving("")
		h.plan = func(uri.URI, *fetch.Options) (*fetch.Plan, error) { return &fetch.Plan{Steps: []fetch.Step{s}}, nil }
		p, err := fetch.New(scheme("a", h)).Plan(uri.MustParse("a://h/"), nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(p)
		var got struct{ Steps []json.RawMessage }
		if err == nil {
			err = json.Unmarshal(b, &got)
		}
		if err != nil || len(got.Steps) != 1 || string(got.Steps[0]) != want {
			t.Errorf("%s, %v, want %s", b, err, want)
		}
	}
}
