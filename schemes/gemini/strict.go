package gemini

import (
	"slices"

	"example.org/deref/fetch"
)

// responses is the section of the specification about status lines.
const responses = "gemini protocol 0.24.1, Responses"

// strict reports a status line that is accepted although the specification has another form.
func (s status) strict(line string, env *fetch.Env) {
	const where = "the status line"
	known := []int{10, 11, 20, 30, 31, 40, 41, 42, 43, 44, 50, 51, 52, 53, 59, 60, 61, 62}
	switch {
	case !slices.Contains(known, s.code):
		env.Deviates(responses, where, "the unknown code %d", s.code)
	case s.meta == "" && s.code < 40: // a prompt, a media type or a URI; the text of an error may be missing
		env.Deviates(responses, where, "nothing after the code %d", s.code)
	case len(line) > 3 && line[3] == ' ':
		env.Deviates(responses, where, "more than one blank after the code")
	case len(s.meta) > 1024:
		env.Deviates(responses, where, "more than 1024 bytes after the code")
	}
}
