// Package cases holds the URI cases of this directory for the tests of package uri, of the schemes and of the command.
package cases

import (
	"bytes"
	"embed"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"slices"
	"testing"
)

//go:embed *.jsonl
var own embed.FS

// A Case is one line of a file. README.md describes the fields.
type Case struct {
	ID, Source, Kind, Mode           string
	Base, Ref, Input, Other, Context string
	Expect                           map[string]any
	Error                            bool
	File                             string `json:"-"` // the file's name, without directories
	Line                             []byte `json:"-"` // the line itself
}

// Own returns the cases of this directory, in the order of the files' names.
func Own(t testing.TB) []Case {
	t.Helper()
	return read(t, own)
}

// Others returns the cases of other libraries: those of the directory that URI_CORPUS names, with its subdirectories. It returns nil if
// the variable is not set. The project must not copy those cases; the files NAME-forms.jsonl of this directory cover the same forms.
func Others(t testing.TB) []Case {
	t.Helper()
	dir := os.Getenv("URI_CORPUS")
	if dir == "" {
		return nil
	}
	return read(t, os.DirFS(dir))
}

// NoOthers is the reason for skipping a test that needs Others.
const NoOthers = "URI_CORPUS is not set to a directory with the cases of other libraries"

func read(t testing.TB, files fs.FS) (all []Case) {
	t.Helper()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".jsonl" {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		for line := range bytes.Lines(text) {
			c := Case{File: path.Base(name), Line: slices.Clip(bytes.TrimSpace(line))}
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatalf("%s: %v: %s", name, err, line)
			}
			all = append(all, c)
		}
		return nil
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("got %d cases, error %v, want some cases", len(all), err)
	}
	return all
}
