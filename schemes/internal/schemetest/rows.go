// Package schemetest holds the tests that every scheme's reading and Plan must pass, before any server is met.
package schemetest

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A row is a case of testdata/uri (spec/ of the corpus) or of peers/.
type row struct {
	ID, Kind, Mode, Input string
	Expect                map[string]any
	Error                 bool
}

// Rows runs the rows of the corpus that name one of the schemes, those of other libraries' tests only where ../shared is, and
// returns their number.
func Rows(t *testing.T, s ...fetch.Scheme) int {
	root := moduleRoot(t)
	n := 0
	for _, dir := range []string{filepath.Join(root, "testdata/uri"), filepath.Join(root, "../shared/corpus/uri/peers")} {
		for _, file := range []string{"5-scheme.jsonl", "6-illegal.jsonl"} {
			for _, r := range readRows(t, filepath.Join(dir, file)) {
				if r.concerns(s) {
					n++
					t.Run(r.ID, func(t *testing.T) { r.run(t, s) })
				}
			}
		}
	}
	return n
}

func moduleRoot(t *testing.T) string {
	dir, err := os.Getwd()
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("no go.mod above", dir, err)
	return ""
}

func readRows(t *testing.T, name string) (rows []row) {
	f, err := os.Open(name)
	if os.IsNotExist(err) && strings.Contains(name, "shared") {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		var r row
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		rows = append(rows, r)
	}
	return rows
}

// concerns reports whether the row is one of a scheme of s, at the level of schemes.
func (r row) concerns(s []fetch.Scheme) bool {
	name, _, _ := strings.Cut(r.Input, ":")
	_, known := fetch.Registry(s).Lookup(name)
	return known && (r.Kind == "scheme" || r.Mode == "scheme" || r.Mode == "dereference")
}

func (r row) run(t *testing.T, s []fetch.Scheme) {
	got, err := r.read(s)
	if r.Error {
		if err == nil {
			t.Errorf("%q is accepted", r.Input)
		} else if fetch.KindOf(err) != fetch.ErrRefusedURL {
			t.Errorf("%q: %v is of the kind %q", r.Input, err, fetch.KindOf(err))
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
	m, _ := uri.ParseMode(r.Mode) // "scheme" and "dereference" are of the default mode
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

// asJSON gives what `deref uri batch` prints of a reading.
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
