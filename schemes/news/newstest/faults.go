package newstest

import "strings"

// Replies with a special meaning in Faults.Reply.
const (
	Hangup  = "\x00hang up" // close the connection instead of answering
	Silence = "\x00silence" // never answer; the connection stays open
)

// Faults are failures of the server. The zero value means none.
type Faults struct {
	CutAfter int64 // if positive, the connection ends after n bytes of replies
	// Reply sends these raw bytes instead of carrying out a verb (upper case: "GROUP", "MODE READER", "GREETING", "ARTICLE-SENT"), with a
	// line end if they lack one. See also Hangup and Silence.
	Reply map[string]string
}

// faulty carries out the fault for a verb, if there is one.
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

// mute reads and ignores everything until the client goes away.
func (x *session) mute() {
	x.Net.NoteAll(x.readLine)
	x.done = true
}
