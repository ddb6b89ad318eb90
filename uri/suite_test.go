package uri

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
