// Package schemetest holds what the tests of several schemes share: the vectors of testdata/uri, servers and connections in memory, and
// properties that every scheme has. Its tests are those of the packages next to it.
package schemetest

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"example.org/deref/fetch"
	cases "example.org/deref/testdata/uri"
	"example.org/deref/uri"
)

// A row is a case of testdata/uri or of URI_CORPUS.
type row cases.Case

// Rows runs the cases of testdata/uri for the schemes and returns their number. It also runs those of URI_CORPUS, if that is set, without counting
// them.
func Rows(t *testing.T, s ...fetch.Scheme) int {
	n := runRows(t, cases.Own(t), s)
	t.Run("others", func(t *testing.T) {
		others := cases.Others(t)
		if others == nil {
			t.Skip(cases.NoOthers)
		}
		runRows(t, others, s)
	})
	return n
}

func runRows(t *testing.T, all []cases.Case, s []fetch.Scheme) (n int) {
	for _, c := range all {
		if r := row(c); r.concerns(s) {
			n++
			t.Run(r.ID, func(t *testing.T) { r.run(t, s) })
		}
	}
	return n
}

// concerns reports whether the row is a test of a scheme in s.
func (r row) concerns(s []fetch.Scheme) bool {
	name, _, _ := strings.Cut(r.Input, ":")
	_, known := fetch.Registry(s).Lookup(name)
	return known && (r.Kind == "scheme" || r.Mode == "scheme" || r.Mode == "dereference")
}

func (r row) run(t *testing.T, s []fetch.Scheme) {
	got, err := r.read(s)
	if r.Error {
		if err == nil {
			t.Errorf("%q: got no error, want kind %q", r.Input, fetch.ErrRefusedURL)
		} else if fetch.KindOf(err) != fetch.ErrRefusedURL {
			t.Errorf("%q: got %v of kind %q, want kind %q", r.Input, err, fetch.KindOf(err), fetch.ErrRefusedURL)
		}
		return
	}
	if err != nil {
		t.Fatalf("%q: %v", r.Input, err)
	}
	fields := asJSON(t, got)
	for k, want := range r.Expect {
		if have, there := fields[k]; !there || !reflect.DeepEqual(have, want) {
			t.Errorf("%s %q: %s = %#v, want %#v", r.Mode, r.Input, k, have, want)
		}
	}
}

func (r row) read(s []fetch.Scheme) (any, error) {
	m, _ := uri.ParseMode(r.Mode) // "scheme" and "dereference" use the default mode
	octets, _ := m.Octets(r.Input)
	u, err := m.Parse(octets)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	if r.Mode == "dereference" {
		return fetch.New(s...).Plan(u, nil)
	}
	found, _ := fetch.Registry(s).Lookup(u.Scheme())
	return found.Read(u, m)
}

// asJSON returns the fields that `deref uri --json` prints.
func asJSON(t *testing.T, v any) (fields map[string]any) {
	t.Helper()
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &fields)
	}
	if err != nil {
		t.Fatal(err)
	}
	return fields
}
