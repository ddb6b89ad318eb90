package command

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
	cases "example.org/deref/testdata/uri"
	"example.org/deref/uri"
)

// TestURIAnswersTheCorpus runs every case of testdata/uri, and those of other libraries if URI_CORPUS names them, through the operations of
// `deref uri`.
func TestURIAnswersTheCorpus(t *testing.T) {
	w := &workbench{registry: schemes.All(nil)}
	files := map[string]int{}
	for _, c := range cases.Own(t) {
		judge(t, w, c)
		files[c.File]++
	}
	if len(files) < 7 {
		t.Errorf("got %d files of cases, want at least 7: %v", len(files), files)
	}
	t.Run("others", func(t *testing.T) {
		others := cases.Others(t)
		if others == nil {
			t.Skip(cases.NoOthers)
		}
		for _, c := range others {
			judge(t, w, c)
		}
	})
}

// judge compares one answer with its row. Only the expected keys count; "accept" lists other correct answers.
func judge(t *testing.T, w *workbench, c cases.Case) {
	t.Helper()
	result, err := answer(w, c)
	if c.Error != (err != nil) {
		t.Errorf("%s: %q: got error %v, want one: %v", c.ID, c.Input, err, c.Error)
	}
	if err != nil {
		return
	}
	got := plain(t, result)
	if ref, is := got["ref"].(string); is && resolved(t, w, c, ref) == resolved(t, w, c, c.Input) {
		return // relativize is not unique
	}
	accept, _ := c.Expect["accept"].([]any)
	for key, want := range c.Expect {
		same := func(x any) bool { return reflect.DeepEqual(got[key], x) }
		if key != "accept" && !same(want) && !slices.ContainsFunc(accept, same) {
			t.Errorf("%s: %s is %v, want %v", c.ID, key, got[key], want)
		}
	}
}

// answer carries out the operation of a case.
func answer(w *workbench, c cases.Case) (any, error) {
	level := c.Mode
	if w.mode, w.place, w.safe = uri.RFC3986, uri.Segment, uri.SafeRFC3986; c.Mode != "" && c.Kind != "illegal" && c.Kind != "extract" || strings.HasPrefix(c.Mode, "rfc") {
		m, ok := uri.ParseMode(c.Mode)
		if !ok {
			return nil, fmt.Errorf("no mode %q", c.Mode)
		}
		w.mode = m
	}
	if c.Context != "" {
		w.place, _ = uri.ParseContext(c.Context)
	}
	switch c.Kind {
	case "extract":
		uris, err := w.extract(c.Input, c.Mode == "html", uri.MustParse(c.Base))
		return map[string][]string{"uris": uris}, err
	case "illegal":
		return struct{}{}, w.illegal(c.Input, level)
	case "resolve":
		return onURIs((*workbench).resolve)(w, []string{c.Base, c.Ref})
	case "relativize":
		return onURIs((*workbench).relativize)(w, []string{c.Base, c.Input})
	}
	op, ok := opNamed(c.Kind)
	if !ok {
		return nil, fmt.Errorf("no kind %q", c.Kind)
	}
	return op.do(w, []string{c.Input, c.Other}[:len(strings.Fields(op.args))])
}

// illegal returns an error if a URI is refused, at the level that the mode names.
func (w *workbench) illegal(input, level string) error {
	us, err := w.parsed([]string{input})
	if err != nil {
		return err
	}
	switch level {
	case "", "rfc3986":
		err = uri.Grammar(input)
	case "scheme":
		_, err = onURIs((*workbench).scheme)(w, []string{input})
	case "dereference":
		_, err = fetch.New(w.registry...).Plan(us[0], nil)
	}
	return err
}

// plain returns a result as parsed from its JSON.
func plain(t *testing.T, result any) map[string]any {
	t.Helper()
	b, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatalf("got %s (%v), want a JSON object", b, err)
	}
	return out
}

func resolved(t *testing.T, w *workbench, c cases.Case, ref string) any {
	t.Helper()
	u, err := onURIs((*workbench).resolve)(w, []string{c.Base, ref})
	if err != nil {
		t.Errorf("%s: got %v, want no error", c.ID, err)
	}
	return u
}
