package command

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLicenses compares the licenses that each command prints with those of the modules that it links, in the module cache.
func TestLicenses(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it lists the dependencies for four systems")
	}
	modules := linked(t)
	for _, x := range []struct {
		command, file string
		modules       []linkedModule
	}{
		{"deref", "licenses.txt", slices.Concat(modules["deref"], modules["deref-browse"])},
		{"derefd", "../derefd/licenses.txt", modules["derefd"]},
	} {
		want := licenseText(t, x.command, x.modules)
		if *update {
			if err := os.WriteFile(x.file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(x.file); err != nil || string(got) != want {
			t.Errorf("got an outdated %s (%v), which differs from line %d on; update it by go test -run Licenses -update", x.file, err,
				firstDifference(string(got), want))
		}
	}
}

// A linkedModule is one of which the command has a package.
type linkedModule struct{ path, version, dir string }

// goTool runs the go command for a system.
func goTool(t *testing.T, system string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return string(out)
}

// linked returns the modules in each command for the systems that releases are made for.
func linked(t *testing.T) map[string][]linkedModule {
	lists := map[string][]linkedModule{}
	const form = "{{.ImportPath}}\t{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}\t{{if eq .Name `main`}}{{join .Deps ` `}}{{end}}"
	for _, system := range []string{"linux", "darwin", "windows", "freebsd"} {
		modules := map[string]linkedModule{} // by package
		for line := range strings.Lines(goTool(t, system, "list", "-deps", "-f", form, "../deref", "../deref-browse", "../derefd")) {
			f := strings.Split(strings.TrimRight(line, "\n"), "\t")
			if len(f) > 3 {
				modules[f[0]] = linkedModule{f[1], f[2], f[3]}
			}
			for dep := range strings.FieldsSeq(f[len(f)-1]) { // go list prints the packages of a command before it
				if m, ok := modules[dep]; ok {
					lists[path.Base(f[0])] = append(lists[path.Base(f[0])], m)
				}
			}
		}
	}
	return lists
}

// licenseText returns what the file must contain: a table, and each license once.
func licenseText(t *testing.T, command string, modules []linkedModule) string {
	texts, users := []string{}, map[string][]string{}
	add := func(module, text string) {
		if users[text] == nil {
			texts = append(texts, text)
		}
		users[text] = append(users[text], module)
	}
	goLicense := ""
	table := command + " contains its own code and that of these Go modules. Their licenses follow.\n\n"
	row := func(module, text string) {
		table += fmt.Sprintf("  %-66s %s\n", module, licenseNames(t, module, text))
		add(module, text)
	}
	slices.SortFunc(modules, func(a, b linkedModule) int { return strings.Compare(a.path, b.path) })
	if modules = slices.Compact(modules); len(modules) < 10 {
		t.Fatalf("got the modules %v, want at least 10", modules)
	}
	row("deref", readLicense(t, filepath.Join("..", "..")))
	for _, m := range modules {
		text := readLicense(t, m.dir)
		if m.path == "golang.org/x/sys" {
			goLicense = text
		}
		row(m.path+" "+m.version, text)
	}
	root := strings.TrimSpace(goTool(t, "linux", "env", "GOROOT"))
	if b, err := os.ReadFile(filepath.Join(root, "LICENSE")); err == nil { // not every distribution has it there
		goLicense = clean(b)
	}
	row("the standard library and the runtime of Go", goLicense)
	for _, text := range texts {
		table += "\n" + strings.Repeat("-", 72) + "\n" + strings.Join(users[text], "\n") + "\n\n" + text
	}
	return table
}

// readLicense returns the license of a module, and its notice.
func readLicense(t *testing.T, dir string) string {
	t.Helper()
	text := ""
	for _, name := range []string{"LICENSE", "LICENSE.txt", "LICENSE.md", "COPYING", "NOTICE"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			text += clean(b)
		}
	}
	if text == "" {
		t.Fatalf("%s: no license", dir)
	}
	return text
}

// clean returns a text with LF at line ends, and without blanks before them.
func clean(b []byte) string {
	var out strings.Builder
	for line := range strings.Lines(strings.TrimSpace(string(b))) {
		out.WriteString(strings.TrimRight(line, " \t\r\n") + "\n")
	}
	return out.String()
}

// licenseNames returns the SPDX identifiers of the licenses in a text. A module with another license needs a decision.
func licenseNames(t *testing.T, module, text string) string {
	t.Helper()
	words := strings.Join(strings.Fields(text), " ")
	var names []string
	for _, known := range []struct{ name, phrase string }{
		{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
		{"Apache-2.0", "Apache License Version 2.0"},
		{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose"},
	} {
		if strings.Contains(words, known.phrase) {
			names = append(names, known.name)
		}
	}
	if strings.Contains(words, "Redistribution and use in source and binary forms") {
		name := "BSD-2-Clause"
		if strings.Contains(words, "may be used to endorse or promote products derived from this software") {
			name = "BSD-3-Clause"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		t.Errorf("%s: got an unknown license; may it be linked?", module)
	}
	return strings.Join(names, ", ")
}

// firstDifference returns the number of the first line that differs.
func firstDifference(a, b string) int {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return i + 1
		}
	}
	return min(len(x), len(y)) + 1
}
