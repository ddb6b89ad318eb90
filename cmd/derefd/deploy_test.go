//go:build unix || windows

package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The commands of the units, of the file for containers and of the page exist, with their flags and as many arguments as they have there.
func TestDeploy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file string
		line string // a command line is the first group
		want int    // command lines
	}{
		{"deploy/derefd-hub.service", `(?m)^ExecStart=/usr/bin/derefd (.*)$`, 1},
		{"deploy/derefd-work@.service", `(?m)^ExecStart=/usr/bin/derefd (.*)$`, 1},
		{"deploy/Containerfile", `(?m)^#   podman run .* derefd (.*)$`, 2},
		{"README.md", `(?m)^    .*\bderefd ([a-z][^#>\n]*)`, 8},
	} {
		text, err := os.ReadFile(c.file)
		if err != nil {
			t.Fatal(err)
		}
		list := regexp.MustCompile(c.line).FindAllStringSubmatch(string(text), -1)
		if len(list) != c.want {
			t.Errorf("%s: got the command lines %q, want %d", c.file, list, c.want)
		}
		for _, m := range list {
			fs := (&command{}).flags()
			if err := fs.Parse(strings.Fields(m[1])); err != nil {
				t.Errorf("%s: derefd %s: %v", c.file, m[1], err)
				continue
			}
			if err := checkArguments(fs.Arg(0), fs.Args()[1:]); err != nil {
				t.Errorf("%s: derefd %s: %v", c.file, m[1], err)
			}
		}
	}
}

// The directories of the units are those that systemd creates, and the file for containers builds this command with the module's version of Go.
func TestDeployPaths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, format, file, want string }{
		{"deploy/derefd-hub.service", `StateDirectory=(\S+)`, "deploy/derefd-hub.service", "/var/lib/%s "},
		{"deploy/derefd-work@.service", `StateDirectory=(\S+)`, "deploy/derefd-work@.service", "/var/lib/%s/"},
		{"../../go.mod", `(?m)^go (\d+\.\d+)`, "deploy/Containerfile", "golang:%s "},
	} {
		text, err := os.ReadFile(c.from)
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(c.format).FindSubmatch(text)
		if m == nil {
			t.Fatalf("%s: got no %s", c.from, c.format)
		}
		want := fmt.Sprintf(c.want, m[1])
		if text, err = os.ReadFile(c.file); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: got %s, %v, want %q in it", c.file, text, err, want)
		}
	}
}
