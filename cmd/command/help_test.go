package command

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/deref/cmd/internal/help"
	"example.org/deref/fetch/render"
)

// TestHelpFitsAScreen: `deref -h` fits 40 lines of 80 columns, and every flag has one line.
func TestHelpFitsAScreen(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(overview(), "\n"), "\n")
	if len(lines) > 40 {
		t.Errorf("deref -h has %d lines", len(lines))
	}
	for _, l := range lines {
		if len(l) > 80 {
			t.Errorf("deref -h, %d columns: %s", len(l), l)
		}
	}
	for l := range strings.SplitSeq(flagsHelp(), "\n") {
		if len(l) > 110 {
			t.Errorf("%d columns: %s", len(l), l)
		}
	}
}

func TestEveryTopicHasAText(t *testing.T) {
	for _, topic := range topics() {
		if text := topic.text(); len(text) < 200 || !strings.HasSuffix(text, "\n") {
			t.Errorf("deref help %s: %q", topic.name, text)
		}
	}
	for _, c := range commands() {
		if !strings.HasPrefix(commandHelp(c), "Usage: deref") {
			t.Errorf("deref help %s: %q", c.name, commandHelp(c))
		}
	}
}

// TestHelpNamesEveryFieldOfJSON: what --json can print stands in `deref help formats`, by its name; and -w has a variable for each that is
// no object.
func TestHelpNamesEveryFieldOfJSON(t *testing.T) {
	words := strings.FieldsFunc(help.Formats, func(r rune) bool { return strings.ContainsRune(" \n{}[],:", r) })
	info := reflect.TypeFor[render.Info]()
	for i := range info.NumField() {
		name, _, _ := strings.Cut(info.Field(i).Tag.Get("json"), ",")
		if !slices.Contains(words, name) {
			t.Errorf("deref help formats does not tell of %q", name)
		}
		if kind := info.Field(i).Type.Kind(); (kind == reflect.String || kind == reflect.Int || kind == reflect.Int64) && !slices.Contains(render.Variables(), name) {
			t.Errorf("-w has no %%{%s}", name)
		}
	}
}
