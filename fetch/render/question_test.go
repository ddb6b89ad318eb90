package render

import (
	"fmt"
	"testing"
)

func TestReadQuestion(t *testing.T) {
	for line, want := range map[string]string{
		"Ask: Your name?":                 "Ask|Your name?|[]|",
		"Ask: From?\tGeneva":              "Ask|From?|[Geneva]|Geneva",
		"Choose: How?\tgopher\tftp":       "Choose|How?|[gopher ftp]|gopher",
		"Select: A copy?":                 "Select|A copy?|[]|0",
		"AskL:What: do you want to say?":  "AskL|What: do you want to say?|[]|",
		"Ask: A control \x1b[31m\x07 end": `Ask|A control \x1b[31m\x07 end|[]|`,
		"without a kind":                  "Note|without a kind|[]|",
		"":                                "Note||[]|",
	} {
		q := ReadQuestion(line)
		if got := fmt.Sprintf("%s|%s|%v|%s", q.Kind, q.Text, q.Choices, q.Default()); got != want {
			t.Errorf("%q: got %s, want %s", line, got, want)
		}
	}
	if got := (Question{Kind: "AskL"}).Answer("a\r\nb"); got != "a\nb\n" {
		t.Errorf("got %q, want lines that end with LF", got)
	}
}
