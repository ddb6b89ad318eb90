package news

import (
	"strings"

	"example.org/deref/fetch"
)

// strictReply reports a code that stands for the other kind of article name: 423 is for numbers, 430 for identifiers.
func (r *run) strictReply(step fetch.Step, a reply) {
	switch step.Verb {
	case "ARTICLE", "HEAD", "BODY", "STAT":
		switch id := strings.HasPrefix(step.Args[0], "<"); {
		case id && a.code == 423:
			r.env.Deviates("RFC 3977 section 6.2.1", "the reply to "+step.Verb+" with a message-id", "423 instead of 430")
		case !id && a.code == 430:
			r.env.Deviates("RFC 3977 section 6.2.1", "the reply to "+step.Verb+" with a number", "430 instead of 423")
		}
	}
}

// notStuffed reports a line of a text that begins with one dot to the present request.
func (s *session) notStuffed() {
	s.env.Deviates("RFC 3977 section 3.1.1", "the text", "a line that begins with one dot")
}
