package command

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/deref/cmd/internal/help"
	"example.org/deref/fetch/render"
)

// TestHelpFitsAScreen checks that `deref -h` fits 40 lines of 80 columns, and that every flag has one line.
func TestHelpFitsAScreen(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(overview(), "\n"), "\n")
	if len(lines) > 40 {
		t.Errorf("deref -h: got %d lines, want at most 40", len(lines))
	}
	for _, l := range lines {
		if len(l) > 80 {
			t.Errorf("deref -h: got %d columns, want at most 80: %s", len(l), l)
		}
	}
	for l := range strings.SplitSeq(flagsHelp(), "\n") {
		if len(l) > 110 {
			t.Errorf("deref help flags: got %d columns, want at most 110: %s", len(l), l)
		}
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
