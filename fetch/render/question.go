package render

import "strings"

// A Question is a question of a form of Gopher+ (section 2.8), such as "Ask: Your name?<TAB>Joe".
type Question struct {
	Kind    string   // Ask, AskP, AskL, AskF, Choose, ChooseF or Select; Note is a text without an answer
	Text    string   // without control characters
	Choices []string // those of Choose; the first of another kind is its default
}

// ReadQuestion reads a line of an ASK block. A line without a kind is a Note.
func ReadQuestion(line string) Question {
	kind, text, ok := strings.Cut(line, ":")
	if !ok {
		kind, text = "Note", line
	}
	parts := strings.Split(strings.TrimSpace(text), "\t")
	for i, s := range parts {
		parts[i] = Escape(s)
	}
	return Question{Kind: kind, Text: parts[0], Choices: parts[1:]}
}

// Default returns the answer with which a form begins.
func (q Question) Default() string {
	switch {
	case q.Kind == "Select":
		return "0"
	case len(q.Choices) > 0:
		return q.Choices[0]
	}
	return ""
}

// Answer returns a text in the form in which the server wants it. That of several lines has an end at each.
func (q Question) Answer(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if q.Kind == "AskL" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}
