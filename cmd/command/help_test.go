package command

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/help"
	"example.org/deref/fetch/render"
)

// TestHelpFitsAScreen checks that `deref -h` fits 50 lines of 80 columns, examples included, and that every flag has one line.
func TestHelpFitsAScreen(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(overview(), "\n"), "\n")
	if len(lines) > 50 {
		t.Errorf("deref -h: got %d lines, want at most 50", len(lines))
	}
	for _, l := range lines {
		if len(l) > 80 {
			t.Errorf("deref -h: got %d columns, want at most 80: %s", len(l), l)
		}
	}
	lines = strings.Split(flagsHelp(), "\n")
	for _, l := range lines {
		if len(l) > 110 {
			t.Errorf("deref help flags: got %d columns, want at most 110: %s", len(l), l)
		}
	}
	if len(lines) > 150 {
		t.Errorf("deref help flags: got %d lines, want at most 150, which are three screens", len(lines))
	}
	count := 0
	for _, l := range lines {
		if strings.HasPrefix(l, "  -") || strings.HasPrefix(l, "      --") {
			count++
		}
	}
	if first := strings.Fields(firstFlags); count > 120 || len(first) != 20 || !strings.Contains(lines[3], "--"+first[0]+" ") || !strings.Contains(lines[22], "--"+first[19]+" ") {
		t.Errorf("deref help flags: got %d flags of requests, and %s ... %s; want at most 120, and the first 20 of firstFlags", count, lines[3], lines[22])
	}
}

func TestEveryTopicHasAText(t *testing.T) {
	for _, topic := range topics() {
		if text := topic.text(); len(text) < 200 || !strings.HasSuffix(text, "\n") {
			t.Errorf("deref help %s: got %q, want at least 200 bytes and a line end", topic.name, text)
		}
	}
	for _, c := range commands() {
		if !strings.HasPrefix(commandHelp(c), "Usage: deref") {
			t.Errorf("deref help %s: got %q, want a usage line", c.name, commandHelp(c))
		}
	}
}

// TestHelpNamesOperations: the line of a command in the overview names operations that it has, and its page has a line for each.
func TestHelpNamesOperations(t *testing.T) {
	for name, ops := range map[string][]string{"uri": opNames(), "warc": warcOpNames()} {
		c, _ := findCommand(name)
		_, list, _ := strings.Cut(c.short, ": ")
		for word := range strings.SplitSeq(strings.TrimSuffix(list, ", ..."), ", ") {
			if !slices.Contains(ops, word) {
				t.Errorf("deref help: got the operation %q of %s, want one of %q", word, name, ops)
			}
		}
		for _, op := range ops {
			if !strings.Contains(commandHelp(c), "\n  "+op+" ") {
				t.Errorf("deref help %s: got no line for %s, want one", name, op)
			}
		}
	}
}

// TestHelpNamesEveryFieldOfJSON checks that `deref help formats` lists every field that --json can print, and that -w has a variable for
// each field that is not an object.
func TestHelpNamesEveryFieldOfJSON(t *testing.T) {
	words := strings.FieldsFunc(help.Formats, func(r rune) bool { return strings.ContainsRune(" \n{}[],:", r) })
	info := reflect.TypeFor[render.Info]()
	for i := range info.NumField() {
		name, _, _ := strings.Cut(info.Field(i).Tag.Get("json"), ",")
		if !slices.Contains(words, name) {
			t.Errorf("deref help formats: got no field %q, want it listed", name)
		}
		if kind := info.Field(i).Type.Kind(); (kind == reflect.String || kind == reflect.Int || kind == reflect.Int64) &&
			!slices.Contains(render.Variables(), name) {
			t.Errorf("-w: got no %%{%s}, want one", name)
		}
	}
}

// TestManualPagesEnd checks the last sections of each manual page, and that the flags of their examples exist.
func TestManualPagesEnd(t *testing.T) {
	for _, c := range commands() {
		if c.short == "" {
			continue
		}
		page := manPage(c)
		for _, section := range []string{"EXAMPLES", "ENVIRONMENT", "FILES", "EXIT STATUS"} {
			if _, rest, ok := strings.Cut(page, "\n.SH "+section+"\n"); !ok || strings.HasPrefix(rest, ".SH") {
				t.Errorf("deref help --man %s: got no %s, want that section", c.name, section)
			}
		}
		for _, e := range help.Examples(c.name) {
			args := words(strings.ReplaceAll(e.Line, " > ", " "), nil)
			if of, ok := findCommand(args[1]); ok {
				c, args = of, args[1:]
			}
			if c.name == "help" {
				continue // its flags are topics
			}
			fs, _ := c.flagSet()
			if err := fs.Parse(args[1:]); err != nil {
				t.Errorf("%s: got %v, want flags that exist", e.Line, err)
			}
		}
	}
}

// TestHelpOfAFlag: `deref help --retry` finds a flag, by its long or short name, and for one of curl what deref has in its place.
func TestHelpOfAFlag(t *testing.T) {
	for arg, want := range map[string]string{"--retry": "of deref check", "-o": "write to FILE", "--retry=3": "retry temporary", "-N": "of deref", "--man": "", "-h": ""} {
		got := strings.Join(asTopic([]string{arg}), " ")
		if isTopic := strings.HasPrefix(got, "-- "); isTopic != (want != "") {
			t.Errorf("%s: got %s, want a topic only for other flags", arg, got)
		}
		if want == "" {
			continue
		}
		out, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		status := Main(t.Context(), []string{"help", arg}, Environment{Stdin: os.Stdin, Stdout: out, Stderr: os.Stderr, Getenv: func(string) string { return "" }})
		if text, err := os.ReadFile(out.Name()); err != nil || status != 0 || !strings.Contains(string(text), want) {
			t.Errorf("deref help %s: got %d, %s, %v, want %q", arg, status, text, err, want)
		}
	}
	fs, _ := commands()[0].flagSet()
	for name, want := range map[string]string{"spider": "deref check", "retyr": "--retry is the most similar"} {
		if err := flags.Unknown(name, fs); !strings.Contains(flags.HintOf(err), want) {
			t.Errorf("%s: got the hint %q, want %q", name, flags.HintOf(err), want)
		}
	}
}

var update = flag.Bool("update", false, "write cmd/command/man or licenses.txt again")

// TestManPages checks that the pages of man/ are generated from the command table, the flag table and the topics of help. To update them:
//
//	go test ./cmd/command -run ManPages -update
func TestManPages(t *testing.T) {
	pages := map[string]string{"deref.1": manPage(commands()[0])}
	for _, c := range commands() {
		if c.name != "" && c.short != "" {
			pages["deref-"+c.name+".1"] = manPage(c)
		}
	}
	for name, want := range pages {
		path := filepath.Join("man", name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("got an outdated %s (%v), want it as go test ./cmd/command -run ManPages -update writes it", path, err)
		}
	}
	left, err := os.ReadDir("man")
	if err != nil || len(left) != len(pages) {
		t.Errorf("man: got %d pages, want %d: %v", len(left), len(pages), err)
	}
}
