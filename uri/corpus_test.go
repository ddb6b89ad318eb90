package uri

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	cases "example.org/deref/testdata/uri"
)

// A row is a case of testdata/uri or of URI_CORPUS.
type row cases.Case

// TestSpecRows runs the cases of testdata/uri.
func TestSpecRows(t *testing.T) { runRows(t, cases.Own(t)) }

// TestPeerRows runs the cases of other libraries' tests.
func TestPeerRows(t *testing.T) {
	others := cases.Others(t)
	if others == nil {
		t.Skip(cases.NoOthers)
	}
	runRows(t, others)
}

func runRows(t *testing.T, rows []cases.Case) {
	ran := 0
	for _, r := range rows {
		if r.Kind == "scheme" || r.Mode == "scheme" || r.Mode == "dereference" || r.Mode == "html" {
			continue // scheme packages, fetch and uri/links run these
		}
		ran++
		t.Run(r.ID, row(r).run)
	}
	if ran == 0 {
		t.Error("no rows of this mode, want some")
	}
}

func (r row) run(t *testing.T) {
	m, ok := ParseMode(r.Mode)
	switch {
	case r.Mode == "any", r.Kind == "extract":
	case !ok:
		t.Fatalf("unknown mode %q", r.Mode)
	}
	got, err := r.answer(m)
	if r.Error {
		if err == nil {
			t.Errorf("%q: got no error, want one", r.Input)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range r.Expect {
		if k == "accept" || reflect.DeepEqual(got[k], want) || r.accepts(k, got[k], m) {
			continue
		}
		t.Errorf("%s %q %q %q: %s = %q, want %q", r.Mode, r.Base, r.Ref, r.Input, k, got[k], want)
	}
}

// accepts reports whether got is one of the other correct results, or, for relativize, resolves to the same URI.
func (r row) accepts(k string, got any, m Mode) bool {
	if k == "ref" {
		base, _ := r.parse(m, r.Base)
		in, _ := r.parse(m, r.Input)
		ref, err := r.parse(m, got.(string))
		return err == nil && m.Resolve(base, ref) == m.Resolve(base, in)
	}
	more, _ := r.Expect["accept"].([]any)
	for _, a := range more {
		if reflect.DeepEqual(a, got) {
			return true
		}
	}
	return false
}

func (r row) parse(m Mode, s string) (URI, error) {
	o, _ := m.Octets(s)
	return m.Parse(o)
}

func (r row) answer(m Mode) (map[string]any, error) {
	in, err := r.parse(m, r.Input)
	if err != nil && r.Kind != "escape" && r.Kind != "unescape" && r.Kind != "extract" {
		return nil, err
	}
	switch r.Kind {
	case "illegal":
		if r.Mode == RFC3986.String() {
			return nil, Grammar(r.Input)
		}
		return components(m, in), nil
	case "parse":
		return components(m, in), nil
	case "resolve", "relativize":
		base, err := r.parse(m, r.Base)
		if err != nil {
			return nil, err
		}
		if r.Kind == "relativize" {
			return map[string]any{"ref": m.Text(m.Relativize(base, in).String())}, nil
		}
		ref, err := r.parse(m, r.Ref)
		return map[string]any{"uri": m.Text(m.Resolve(base, ref).String())}, err
	case "normalize":
		return map[string]any{"uri": m.Text(m.Normalize(in, rulesFor(m, in)).String())}, nil
	case "equal":
		other, err := r.parse(m, r.Other)
		return map[string]any{"equal": m.Equal(in, other, rulesFor(m, in))}, err
	case "escape", "unescape":
		return r.escape(m)
	case "extract":
		return r.extract(), nil
	}
	return nil, nil
}

func (r row) extract() map[string]any {
	uris := []any{}
	for f := range Find(r.Input) {
		uris = append(uris, f.URI.String())
	}
	return map[string]any{"uris": uris}
}

func (r row) escape(m Mode) (map[string]any, error) {
	c, ok := ParseContext(r.Context)
	if !ok {
		return nil, &Error{0, "context " + r.Context}
	}
	in, _ := m.Octets(r.Input)
	if r.Kind == "escape" {
		return map[string]any{"output": m.Text(string(c.Escape(m, in)))}, nil
	}
	out, err := c.Unescape(Escaped(in))
	return map[string]any{"output": m.Text(out)}, err
}

// components holds the components of a URI. A missing one is nil.
func components(m Mode, u URI) map[string]any {
	or := func(s Escaped, ok bool) any {
		if !ok {
			return nil
		}
		return m.Text(string(s))
	}
	authority, has := u.Authority()
	userinfo, hasUser := u.Userinfo()
	query, hasQuery := u.Query()
	fragment, hasFragment := u.Fragment()
	return map[string]any{
		"scheme": or(Escaped(u.Scheme()), u.IsAbs()), "authority": or(authority, has),
		"userinfo": or(userinfo, hasUser), "host": or(u.Host(), has), "port": or(Escaped(u.Port()), u.HasPort()),
		"path": or(u.Path(), true), "query": or(query, hasQuery), "fragment": or(fragment, hasFragment),
	}
}

// rulesFor returns the rules of the schemes in the rows, for modes that need them.
func rulesFor(m Mode, u URI) *Rules {
	if m != RFC3986Scheme && !m.Drafts() {
		return nil
	}
	port := map[string]int{"http": 80, "https": 443, "ftp": 21, "telnet": 23, "wais": 210, "ldap": 389,
		"nntp": 119, "rlogin": 513, "gopher": 70}
	if p := port[u.Scheme()]; p != 0 {
		return &Rules{DefaultPort: p, Hierarchical: true}
	}
	if u.Scheme() == "mailto" {
		return &Rules{Fold: FoldDomain}
	}
	return nil
}

// TestJSONSchemaSuite runs the URI formats of a checkout of github.com/json-schema-org/JSON-Schema-Test-Suite, all drafts.
func TestJSONSchemaSuite(t *testing.T) {
	dir := os.Getenv("JSON_SCHEMA_TEST_SUITE")
	if dir == "" {
		t.Skip("JSON_SCHEMA_TEST_SUITE names no checkout of the suite")
	}
	total := 0
	for _, format := range []string{"uri", "uri-reference", "iri", "iri-reference"} {
		files, err := filepath.Glob(filepath.Join(dir, "tests", "*", "optional", "format", format+".json"))
		if err != nil || len(files) == 0 {
			t.Errorf("got %d files of %s, %v", len(files), format, err)
		}
		for _, file := range files {
			total += runFormat(t, file, format)
		}
	}
	t.Logf("%d cases", total)
}

func runFormat(t *testing.T, file, format string) (n int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var groups []struct {
		Tests []struct {
			Data  any
			Valid bool
		}
	}
	if err := json.Unmarshal(text, &groups); err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		for _, c := range g.Tests {
			s, ok := c.Data.(string)
			if !ok {
				continue // only strings have a format
			}
			n++
			if got := hasFormat(s, format); got != c.Valid {
				t.Errorf("%s: %q: got %v, want %v", file, s, got, c.Valid)
			}
		}
	}
	return n
}

// hasFormat reports whether s is in a format of JSON Schema: absolute or not, of RFC 3986 or of RFC 3987.
func hasFormat(s, format string) bool {
	if strings.HasPrefix(format, "iri") {
		s = mapped(s)
	}
	u, err := Parse(s)
	return err == nil && Grammar(s) == nil && (u.IsAbs() || strings.HasSuffix(format, "-reference"))
}

// mapped returns the URI of an IRI: RFC 3987 section 3.1, step 2.
func mapped(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if s[i] < 0x80 {
			b.WriteByte(s[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", s[i])
		}
	}
	return b.String()
}
