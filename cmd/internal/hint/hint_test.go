package hint

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
)

// Each hint of package fetch has a text.
func TestEveryHintHasAText(t *testing.T) {
	src, err := os.ReadFile("../../../fetch/hint.go")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^\tHint\w+ += "([^"]+)"`).FindAllStringSubmatch(string(src), -1)
	if got, want := len(texts()), len(names); got != want || want == 0 {
		t.Errorf("got %d texts, want %d, one for each hint", got, want)
	}
	for _, m := range names {
		if _, ok := texts()[m[1]]; !ok {
			t.Errorf("got no text for %s, want one", m[1])
		}
	}
}

// Each flag that a hint names is a flag of a command.
func TestFlagsOfTextsExist(t *testing.T) {
	pages, err := filepath.Glob("../../*/testdata/cli.md") // has every flag of every command; another test compares it with the flag tables
	if err != nil || len(pages) == 0 {
		t.Fatalf("got %d pages, %v, want the contract of the command line", len(pages), err)
	}
	contract, err := os.ReadFile(pages[0])
	if err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for _, text := range texts() {
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

func TestText(t *testing.T) {
	for hint, want := range map[string]string{
		"Policy.AllowPorts 25":             "--allow-port 25 lets it through",
		"Options.Set ftp.data-address=any": "--set ftp.data-address=any",
		"Options.Set news.ssl=require":     "--ssl-reqd demands TLS",
		"Options.Set http.header=X: y":     "-H 'X: y' sends it",
		"a sentence stays as it is":        "a sentence stays as it is",
		"":                                 "",
	} {
		if got := Text(hint); got != want {
			t.Errorf("Text(%q): got %q, want %q", hint, got, want)
		}
	}
}

// Errors of libraries do not mention flags: another program that uses the library has other flags, or none.
func TestErrorsOfLibrariesDoNotMentionFlags(t *testing.T) {
	flag := regexp.MustCompile("(^|[\\s`(])(--[a-z][a-z]|-[a-zA-Z] (-|:|[A-Z]{2}|')|deref (session|send|get|schemes))")
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
			for _, text := range errorTexts(file) {
				if words, _ := strconv.Unquote(text.Value); flag.MatchString(words) {
					t.Errorf("%s: got %s, want a constant of fetch.Hint", set.Position(text.Pos()), text.Value)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// errorTexts returns the strings from which a file builds error texts and hints.
func errorTexts(file *ast.File) (texts []*ast.BasicLit) {
	within := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				texts = append(texts, lit)
			}
			return true
		})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && (key.Name == "Hint" || key.Name == "Text") {
				within(n.Value)
			}
		case *ast.AssignStmt:
			if to, ok := n.Lhs[0].(*ast.SelectorExpr); ok && to.Sel.Name == "Hint" {
				within(n.Rhs[0])
			}
		case *ast.CallExpr:
			f, _ := n.Fun.(*ast.Ident)
			if s, ok := n.Fun.(*ast.SelectorExpr); ok {
				f = s.Sel
			}
			if f != nil && (f.Name == "Errorf" || f.Name == "BadSetting") {
				within(n)
			}
		}
		return true
	})
	return texts
}
