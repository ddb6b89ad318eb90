package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.org/deref/cmd/internal/testservers"
	"example.org/deref/testdata"
)

// TestPages runs the commands of the project's pages and compares their output. A command is a line of an indented block that begins with
// "$ "; the lines up to the next command are its output. The servers are those of `deref serve --port-base 9000`, on free ports.
func TestPages(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	list, err := testservers.Start(testdata.Site(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { testservers.Stop(list) })
	var toPage, fromPage []string // pairs of addresses
	for _, l := range list {
		page := "127.0.0.1:" + strconv.Itoa(9000+l.Port)
		here := l.URL[strings.LastIndexAny(l.URL, "/@")+1:]
		toPage, fromPage = append(toPage, here, page), append(fromPage, page, here)
	}
	dir := filepath.Dir(derefCommand(t)().Path)
	count := 0
	for _, page := range []string{"README.md", "schemes/README.md", "fetch/README.md", ".github/SECURITY.md", ".github/CONTRIBUTING.md"} {
		for command, want := range commandsOf(contents(t, "../../"+page)) {
			count++
			cmd := exec.Command("sh", "-c", strings.NewReplacer(fromPage...).Replace(command))
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), "HOME="+cmd.Dir, "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			if got := strings.NewReplacer(toPage...).Replace(string(out)); got != want {
				t.Errorf("%s: %s: %v, got\n%swant\n%s", page, command, err, got, want)
			}
		}
	}
	if count < 7 {
		t.Errorf("got %d commands on the pages, want 7 or more", count)
	}
}

// README.md states no size of a binary: it would be wrong after the next change, and differs between systems.
func TestReadmeStatesNoSizes(t *testing.T) {
	if got := regexp.MustCompile(`[0-9][0-9.]* ?[kMG]i?B\b`).FindAllString(contents(t, "../../README.md"), -1); got != nil {
		t.Errorf("got the sizes %q in README.md, want none", got)
	}
}

// commandsOf returns the commands of a page with their output.
func commandsOf(text string) map[string]string {
	all := map[string]string{}
	command := ""
	for line := range strings.Lines(text) {
		block, indented := strings.CutPrefix(line, "    ")
		next, isCommand := strings.CutPrefix(block, "$ ")
		switch {
		case indented && isCommand:
			command = strings.TrimSpace(next)
			all[command] = ""
		case indented && command != "":
			all[command] += block
		default:
			command = ""
		}
	}
	return all
}
