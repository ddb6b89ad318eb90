package ftptest

import (
	"net/netip"
	"strings"
	"time"
)

// Replies with a special meaning in Faults.Reply and Faults.Final.
const (
	Hangup  = "\x00hang up" // close the control connection instead of answering
	Silence = "\x00silence" // never answer; the connection stays open
)

// Faults determine what goes wrong. The zero value means nothing does.
type Faults struct {
	CutControlAfter int64 // > 0: the control connection ends after n bytes of replies
	// Reply answers a verb (upper case, or "greeting"), or a whole command, with
	// these raw bytes instead of doing anything, with a line end if it is missing.
	// The values Hangup and Silence are special.
	Reply map[string]string
	// Code replaces the code of the first positive reply to a verb.
	Code map[string]int
	// Final replaces the reply that ends a transfer (226, 426), by verb: RETR,
	// LIST, NLST, MLSD. The values Hangup and Silence are special.
	Final           map[string]string
	EarlyFinal      bool          // the final reply comes before the data
	FinalDelay      time.Duration // before the final reply
	InjectBeforeTLS string        // cleartext bytes after the 234 of AUTH TLS
	WrongSize       int64         // added to the sizes of SIZE and MLSx
	SizeIn150       *int64        // the "(n bytes)" of RETR's 150 instead of the true one
	IgnoreREST      bool          // REST answered 350, and the file sent from its beginning
	// Transfers is how many RETRs a session has, the rest being answered 421; 0 is any number.
	Transfers int

	PASV     string     // raw argument of the 227, e.g. "10,0,0,1,4,1"
	PASVHost netip.Addr // address in the 227; the port is opened there if it is a loopback address
	EPSVPort int        // port of the 229 instead of the one that is listened on
	// BusyPorts is how many EPSV and PASV, over all sessions, get the reply 425. With BusyMute, the server stops replying in a session that
	// has already sent more commands, as proftpd 1.3.8 does for a minute.
	BusyPorts int
	BusyMute  bool
	// Impatient answers 425 at once to a transfer that was requested before the client had connected.
	Impatient bool
	// ActiveFrom is where data connections of PORT and EPRT come from, e.g. 127.0.0.2.
	ActiveFrom netip.Addr

	CutDataAfter  int64 // > 0: the data connection ends after n bytes, and 426 follows
	CutSilently   bool  // CutDataAfter is followed by 226
	Reset         bool  // a cut is a RST, not a FIN
	StallAfter    int64 // > 0: nothing more comes after n bytes
	Blackhole     bool  // the data connection is accepted, but never carries any bytes
	Endless       bool  // a transfer starts over at its end, forever
	NoCloseNotify bool  // the TLS of a data connection ends without close_notify
}

// faulty sends the reply that Faults has for a verb. It reports whether there is one.
func (x *session) faulty(verb string) bool {
	text, ok := x.f.Reply[verb]
	if ok {
		x.play(text)
	}
	return ok
}

// play sends a raw reply of Faults.
func (x *session) play(text string) {
	switch {
	case text == Hangup:
		x.done = true
	case text == Silence:
		x.mute()
	case strings.HasSuffix(text, "\n"):
		x.raw(text)
	default:
		x.raw(text + "\r\n")
	}
}

// mute reads and ignores commands until the client disconnects.
func (x *session) mute() {
	x.Net.NoteAll(x.readLine)
	x.done = true
}

// final sends the reply that ends a transfer.
func (x *session) final(verb string, code int, text string) {
	if !x.Net.Sleep(x.f.FinalDelay) {
		x.done = true
		return
	}
	if play, ok := x.f.Final[verb]; ok {
		x.play(play)
		return
	}
	x.reply(code, text)
}
