package flags

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Each name of package hint has a text.
func TestEveryHintHasAText(t *testing.T) {
	src, err := os.ReadFile("../../../fetch/hint/hint.go")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^\t\w+ += "([^"]+)"`).FindAllStringSubmatch(string(src), -1)
	if got, want := len(hints()), len(names); got != want || want == 0 {
		t.Errorf("got %d texts, want %d, one for each hint", got, want)
	}
	for _, m := range names {
		if _, ok := hints()[m[1]]; !ok {
			t.Errorf("got no text for %s, want one", m[1])
		}
	}
}

// Each flag that a hint names is a flag of a command.
func TestFlagsOfTextsExist(t *testing.T) {
	contract, err := os.ReadFile("../../cli.md") // has every flag of every command; another test compares it with the flag tables
	if err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for _, text := range hints() {
		all = append(all, text)
	}
	for _, value := range []string{"ftp.ssl=require", "gemini.cert=", "mailto.from=", "http.compressed=", "http.version=2",
		"http.version=1.1", "ftp.active=yes"} {
		if text := setting(value); text == "--set VALUE" {
			t.Errorf("%s: got %q, want a flag of its own", value, text)
		} else {
			all = append(all, text)
		}
	}
	flag := regexp.MustCompile(`(?:^|\s)(--[a-z][a-z0-9.-]*|-[a-zA-Z])\b`)
	for _, text := range all {
		for _, m := range flag.FindAllStringSubmatch(text, -1) {
			if !regexp.MustCompile("(?m)(^|[\\s`,|(])" + regexp.QuoteMeta(m[1]) + `\b`).Match(contract) {
				t.Errorf("%q: got the flag %s, want one of the command line", text, m[1])
			}
		}
	}
}

func TestHint(t *testing.T) {
	for hint, want := range map[string]string{
		"Policy.AllowPorts 25":             "--allow-port 25 lets it through",
		"Options.Set ftp.data-address=any": "--set ftp.data-address=any",
		"Options.Set news.ssl=require":     "--ssl-reqd demands TLS",
		"Options.Set http.header=X: y":     "-H 'X: y' sends it",
		"a sentence stays as it is":        "a sentence stays as it is",
		"":                                 "",
	} {
		if got := Hint(hint); got != want {
			t.Errorf("Hint(%q): got %q, want %q", hint, got, want)
		}
	}
}

// Texts of libraries (errors, hints, help, words of plans) do not mention the command line: another program that uses the libraries has other
// flags and commands, or none.
func TestTextsOfLibrariesDoNotMentionTheCommandLine(t *testing.T) {
	mention := regexp.MustCompile("(?m)(^|[\\s`('\"])(--[a-z][a-z]|-[a-zA-Z] (-|:|[A-Z]{2}|')|deref [a-z]+)|\\bexit (status|code)")
	exceptions := map[string]string{
		"../../../fetch/render/style.go":       "variables of CSS begin with two hyphens",
		"../../../schemes/mail/store_index.go": "the first line of a file names its format",
	}
	for _, root := range []string{"../../../fetch", "../../../schemes", "../../../uri"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				return err
			}
			found := 0
			ast.Inspect(file, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				words, _ := strconv.Unquote(lit.Value)
				if mention.MatchString(words) {
					if found++; exceptions[filepath.ToSlash(path)] == "" {
						t.Errorf("%s: got %s, want a constant of fetch.Hint, or a text of package cmd", set.Position(lit.Pos()), lit.Value)
					}
				}
				return true
			})
			if reason := exceptions[filepath.ToSlash(path)]; reason != "" && found == 0 {
				t.Errorf("%s: got no such text, want one, because %s; or no exception", path, reason)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"connect-timeout", "idle-timeout", "retry", "header"}
	for in, want := range map[string]string{"conect-timout": "connect-timeout", "heder": "header", "rety": "retry", "zzz": "", "": ""} {
		if got, _, _ := strings.Cut(Suggestion(in, known), " "); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	if d := distance("kitten", "sitting"); d != 3 {
		t.Errorf("distance %d, want 3", d)
	}
}

func TestSizes(t *testing.T) {
	for in, want := range map[string]Size{"1": 1, "10k": 10 << 10, "20M": 20 << 20, "1G": 1 << 30, "2T": 2 << 40} {
		var s Size
		if err := s.Set(in); err != nil || s != want {
			t.Errorf("%q: %d, %v, want %d", in, s, err, want)
		}
	}
	for _, in := range []string{"", "k", "-1", "0", "1.5M", "9223372036854775807k", "1Mk"} {
		var s Size
		if err := s.Set(in); err == nil {
			t.Errorf("%q: got %d, want an error", in, s)
		}
	}
}

// A pause of 0 is a value, too. It differs from a flag that was not given.
func TestPauses(t *testing.T) {
	for in, want := range map[string]Pause{"0": -1, "0.0": -1, "1": Pause(time.Second), "0.5": Pause(time.Second / 2)} {
		var p Pause
		if err := p.Set(in); err != nil || p != want {
			t.Errorf("%q: got %d, %v, want %d", in, p, err, want)
		}
	}
	for _, in := range []string{"", "x", "-1", "NaN", "1s"} {
		var p Pause
		if err := p.Set(in); err == nil {
			t.Errorf("%q: got %d, want an error", in, p)
		}
	}
	p := Pause(-1)
	if got := p.String(); got != "0" {
		t.Errorf("got %s, want 0", got)
	}
}
