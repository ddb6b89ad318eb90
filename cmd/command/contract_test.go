package command

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestFlagsAreThoseOfTheContract checks that cmd/cli.md, the page on which scripts and users rely, names exactly the flags and
// commands that exist.
func TestFlagsAreThoseOfTheContract(t *testing.T) {
	text, err := os.ReadFile("../cli.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	long, short := map[string]bool{"help": true}, map[string]bool{"h": true}
	for _, c := range commands() {
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		c.flags(fs)
		fs.VisitAll(func(f *pflag.Flag) {
			long[f.Name], short[f.Shorthand] = true, true
			if !f.Hidden && !strings.Contains(page, "--"+f.Name) && (f.Shorthand == "" || !mentions(page, "-"+f.Shorthand)) {
				t.Errorf("cli.md: got no --%s (deref %s), want it documented", f.Name, c.name)
			}
		})
		if c.short != "" && !strings.Contains(page, strings.TrimSpace("deref "+c.name)) {
			t.Errorf("cli.md: got no command %s, want it documented", c.name)
		}
	}
	for _, name := range regexp.MustCompile(`--[a-z][a-z0-9.-]*[a-z0-9]`).FindAllString(page, -1) {
		if !long[name[2:]] && name != "--proto" {
			t.Errorf("cli.md: got %s, want a flag of a command", name)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)(?:^|[ |/(`+"`"+`])-([A-Za-z])\b`).FindAllStringSubmatch(page, -1) {
		if !short[m[1]] {
			t.Errorf("cli.md: got -%s, want a flag of a command", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^    deref ([a-z]+)`).FindAllStringSubmatch(page, -1) {
		if !slices.ContainsFunc(commands(), func(c command) bool { return c.name == m[1] }) {
			t.Errorf("cli.md: got command %s, want one that exists", m[1])
		}
	}
}

// mentions reports whether the page contains the flag as a word.
func mentions(page, flag string) bool {
	return regexp.MustCompile(`(^|[ |/(` + "`" + `])` + flag + `\b`).MatchString(page)
}

// TestFlagsOfFiles checks that a file can set every flag except those that locate the file, and those that name the file of a single
// document.
func TestFlagsOfFiles(t *testing.T) {
	names := configurable()
	for name, want := range map[string]bool{"config": false, "disable": false, "output": false, "location": false, "retry": true, "set": true,
		"follow-to": true} {
		if got := slices.Contains(names, name); got != want {
			t.Errorf("a file can set %s: %v, want %v", name, got, want)
		}
	}
}
