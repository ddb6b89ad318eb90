package markup_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.org/deref/uri/markup"
)

// html5lib returns the files of html5lib-tests in golang.org/x/net, which are in the module cache.
func html5lib(t *testing.T, pattern string) []string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/net").Output()
	files, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "html", "testdata", "html5lib-tests", pattern))
	if err != nil || len(files) == 0 {
		t.Skip("golang.org/x/net's test data is not in the module cache")
	}
	return files
}

// TestTokenizerOfHTML5Lib compares the start tags of every page of html5lib-tests' tokenizer directory: names, attributes, values.
func TestTokenizerOfHTML5Lib(t *testing.T) {
	ran := 0
	for _, file := range html5lib(t, "tokenizer/*.test") {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var all struct {
			Tests []struct {
				Description, Input string
				DoubleEscaped      bool
				InitialStates      []string
				Output             []json.RawMessage
			}
		}
		if err := json.Unmarshal(b, &all); err != nil {
			t.Fatal(err)
		}
		for _, c := range all.Tests {
			if c.DoubleEscaped || len(c.InitialStates) > 0 && !slices.Contains(c.InitialStates, "Data state") {
				continue // lone surrogates, and states that only a tree brings about
			}
			ran++
			if got, want := startTags(c.Input), wantedTags(c.Output); !slices.EqualFunc(got, want, sameTag) {
				t.Errorf("%s: %s\n%q\ngot  %q\nwant %q", filepath.Base(file), c.Description, c.Input, got, want)
			}
		}
	}
	t.Logf("%d cases", ran)
	if ran < 6000 {
		t.Errorf("%d cases", ran)
	}
}

type startTag struct {
	Name       string
	Attributes map[string]string
}

func sameTag(a, b startTag) bool { return a.Name == b.Name && maps.Equal(a.Attributes, b.Attributes) }

func startTags(page string) (list []startTag) {
	z := markup.New(strings.NewReader(page), 1<<20)
	for {
		switch z.Next() {
		case html.ErrorToken:
			return list
		case html.StartTagToken, html.SelfClosingTagToken:
			list = append(list, startTag{z.Name(), maps.Collect(z.Attributes())})
		}
	}
}

// wantedTags returns the tags of an output: ["StartTag", name, {attribute: value}].
func wantedTags(output []json.RawMessage) (list []startTag) {
	for _, raw := range output {
		var token []json.RawMessage
		var kind string
		if json.Unmarshal(raw, &token) != nil || len(token) < 3 || json.Unmarshal(token[0], &kind) != nil || kind != "StartTag" {
			continue
		}
		s := startTag{}
		json.Unmarshal(token[1], &s.Name)
		json.Unmarshal(token[2], &s.Attributes)
		list = append(list, s)
	}
	return list
}
