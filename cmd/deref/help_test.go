package main

import (
	"strings"
	"testing"
)

// Issue 15 item 5: `deref -h` fits 40 lines, and every flag has one line.
func TestHelpFitsAScreen(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(overview(), "\n"), "\n")
	if len(lines) > 40 {
		t.Errorf("deref -h has %d lines", len(lines))
	}
	for _, l := range append(lines, strings.Split(flagsHelp(), "\n")...) {
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
