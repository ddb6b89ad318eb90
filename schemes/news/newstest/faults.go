package newstest

import (
	"strings"
	"time"
)

// Replies with a special meaning in Faults.Reply.
const (
	Hangup  = "\x00hang up" // close the connection instead of answering
	Silence = "\x00silence" // never answer; the connection stays open
)

// Faults say what goes wrong. The zero value means nothing does.
type Faults struct {
	Delay    time.Duration // before each reply
	CutAfter int64         // > 0: the connection ends after n octets of replies
	Reset    bool          // a cut is a RST, not a FIN
	// Reply answers a verb (upper case: "GROUP", "MODE READER", "GREETING", "ARTICLE-SENT") with these raw octets instead of doing
	// anything; a missing line end is added. Hangup, Silence.
	Reply           map[string]string
	Endless         bool   // a text begins anew at its end, for ever
	StallInText     bool   // nothing more comes before the end of a text
	InjectBeforeTLS string // clear octets behind the 382 of STARTTLS
	RefuseTLS       bool   // STARTTLS is offered, and refused
	IdleAfter       string // after its answer to this verb the server says 400, as if the client had been idle for too long
	LoseAccepted    bool   // an article is taken, and the connection ends without saying so
}

// faulty plays the fault asked for a verb, if any.
func (x *session) faulty(verb string) bool {
	text, ok := x.f.Reply[verb]
	switch {
	case !ok:
		return false
	case text == Hangup:
		x.flush()
		x.hangUp()
	case text == Silence:
		x.flush()
		x.mute()
	case strings.HasSuffix(text, "\n"):
		x.raw(text)
	default:
		x.raw(text + "\r\n")
	}
	return true
}

// mute reads on and answers nothing, until the client goes away.
func (x *session) mute() {
	for {
		line, err := x.readLine()
		if err != nil {
			x.done = true
			return
		}
		x.Net.Note(line)
	}
}
