// Package mail dereferences the URIs of mail: mid and cid (RFC 2392), mailto (RFC 6068), imap and imaps (RFC 5092, RFC 9051).
//
//	mid:960830.1639@XIson.com            the message with that Message-ID, "within a body of mail already received"
//	mid:960830.1639@XIson.com/part@x     one of its body parts
//	cid:part@x                           the body part with that Content-ID, within the same message (Options.Base)
//	mailto:ann@example.org               "the set of messages sent to or from that address", as far as the mail sources hold it
//	imap://ann@host/INBOX/;UID=20        a message, or with /;SECTION=1.2 and /;PARTIAL=0.1024 a part of one
//	imap://host/INBOX?FROM%20%22bob%22   a search; without one the messages of the mailbox; without a mailbox the list of mailboxes
//
// mid and mailto search the configured mail sources in order. mailto with the operation send submits a message by SMTP
// (RFC 6409, RFC 5321).
//
//	S: * OK IMAP4rev1 ready
//	C: a1 CAPABILITY                              C: EHLO here.example
//	C: a2 LOGIN ...                               C: MAIL FROM:<bob@example.org>
//	C: a3 EXAMINE INBOX                           C: RCPT TO:<ann@example.org>
//	C: a4 UID FETCH 20 BODY.PEEK[]                C: DATA
//
// IMAP responses and response codes:
//
//	OK                                       the document
//	AUTHENTICATIONFAILED, EXPIRED            auth
//	AUTHORIZATIONFAILED, PRIVACYREQUIRED     auth
//	UNAVAILABLE, INUSE, CONTACTADMIN, LIMIT  unavailable
//	other NO to LOGIN or AUTHENTICATE        auth
//	NONEXISTENT, TRYCREATE, no such UID      notfound
//	NO without a code to EXAMINE             notfound
//	other NO, such as [NOPERM]               refused
//	BYE                                      unavailable
//	another UIDVALIDITY                      changed
//	BAD, anything else                       protocol
//	no source holds the message              notfound
//
// SMTP replies:
//
//	250 after the dot       the message is accepted
//	530, 534, 535, 538      auth
//	4xx                     unavailable
//	other 5xx               refused
//	no reply after the dot  transfer: unknown whether accepted
//
// The files imap*.go hold the client of IMAP, mid*.go and cid.go the schemes of RFC 2392, mailto*.go and smtp*.go the listing and the
// submission, and store*.go the mail stores of this machine.
package mail

import (
	"io"
	"iter"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/schemes/internal/replies"
	"example.org/deref/uri"
)

// Config holds the user's mail configuration. A nil *Config means the zero Config.
type Config struct {
	Sources []Source // searched for mid and mailto, in this order
	// Submission is the server that accepts messages: HOST[:PORT], smtp://... or smtps://...; empty means localhost:587.
	Submission string
	From       string // the user's address

	// Page finds the links of an HTML part of a message: render/htmltext.Links. A nil Page finds none.
	Page func(r io.Reader, isXML bool, base uri.Resolver) iter.Seq2[fetch.Entry, error]
	// Input opens the message that cid: searches if no base is given: standard input.
	Input func() (io.ReadCloser, error)
}

// Schemes returns mid, cid, mailto, imap and imaps.
func Schemes(cfg *Config) []fetch.Scheme {
	c := Config{}
	if cfg != nil {
		c = *cfg
	}
	list := []fetch.Scheme{
		{
			Names: []string{"mid"}, Local: true, Summary: "messages by their Message-ID", Spec: "RFC 2392", Ports: sourcePorts(),
			Does: fetch.Does{Retrieves: true, Refers: true}, MayReferTo: []string{"imap", "imaps", "news", "snews"},
			Settings: midSettings(), Fragment: maildoc.Fragment("mid.part"), Read: readIDs, Plan: c.planMid,
		},
		{
			Names: []string{"cid"}, Local: true, Summary: "parts of a message by their Content-ID", Spec: "RFC 2392",
			Does: fetch.Does{Retrieves: true, Refers: true}, MayReferTo: []string{"ftp", "http", "https"},
			Read: readIDs, Plan: c.planCid,
		},
		{
			Names: []string{"mailto"}, Local: true,
			Summary: "the messages to and from an address; messages to it", Spec: "RFC 6068, RFC 6409",
			Ports: append(sourcePorts(), 25, 465, 587), Does: fetch.Does{Retrieves: true, Sends: true}, Searches: true,
			MayReferTo: []string{"mid", "imap", "imaps"}, Settings: mailtoSettings(), Rules: uri.Rules{Fold: uri.FoldDomain},
			Read: readMailto, Grammar: smtpGrammar, Plan: c.planMailto,
		},
		c.imap("imap"), c.imap("imaps"),
	}
	for i := range list {
		list[i].Help = func() string { return help + string(imapReplies) + string(smtpReplies) }
	}
	return list
}

func midSettings() []fetch.Setting {
	return []fetch.Setting{
		{Key: "mid.all", Values: "no yes", Help: "yes: all messages with the id that the sources hold, not only the first"},
		{Key: "mid.view", Values: "list mbox", Help: "mbox: the message, or all of them, as a mailbox (mboxrd)"},
		{Key: "mid.part", Help: partHelp, Valid: maildoc.Valid("mid.part", maildoc.ParsePart)},
	}
}

const partHelp = "N: a part of the message, decoded; parts are numbered as its entries are (MIME, uuencode, yEnc)"

func imapSettings() []fetch.Setting {
	return []fetch.Setting{
		{Key: "imap.ssl", Values: "never try require", Help: startTLSHelp},
		{Key: "imap.view", Values: "list mbox", Help: "mbox: the messages of a mailbox or search themselves, in one file (mboxrd)"},
		{Key: "imap.part", Help: partHelp, Valid: maildoc.Valid("imap.part", maildoc.ParsePart)},
	}
}

const startTLSHelp = "never, try, require: STARTTLS; default: try"

func mailtoSettings() []fetch.Setting {
	return []fetch.Setting{
		{Key: "mailto.since", Help: "only messages of this date or later: YYYY-MM-DD, RFC 3339 or RFC 9110", Valid: maildoc.Valid("mailto.since", maildoc.ParseSince)},
		{Key: "mailto.view", Values: "list mbox", Help: "mbox: the messages themselves, in one file (mboxrd)"},
		{Key: "mailto.smtp", Help: "HOST[:PORT], smtp://... or smtps://...: the server that accepts messages (default localhost:587)"},
		{Key: "mailto.from", Help: "the address of the sender"},
		{Key: "mailto.bcc", Help: "more recipients, separated by commas, which the message does not name", Valid: validBcc},
		{Key: "mailto.ssl", Values: "never try require", Help: startTLSHelp},
		{Key: "mailto.dry-run", Values: "no yes", Help: "yes: compose the message and write it to the trace, but contact nobody"},
	}
}

// sourcePorts returns the ports of mail sources. A mid or mailto URI itself has no port.
func sourcePorts() []int { return []int{119, 143, 563, 993} }

const help = `example: imap://ann@host.example/INBOX/;UID=20
  CAPABILITY
  LOGIN ***
  EXAMINE INBOX
  UID FETCH 20 BODY.PEEK[]

`

// imapReplies is the table of IMAP responses and response codes (RFC 9051 section 7.1, RFC 5530).
const imapReplies replies.Table = `OK                                       the document
AUTHENTICATIONFAILED, EXPIRED            auth
AUTHORIZATIONFAILED, PRIVACYREQUIRED     auth
UNAVAILABLE, INUSE, CONTACTADMIN, LIMIT  unavailable
other NO to LOGIN or AUTHENTICATE        auth
NONEXISTENT, TRYCREATE, no such UID      notfound
NO without a code to EXAMINE             notfound
other NO, such as [NOPERM]               refused
BYE                                      unavailable
another UIDVALIDITY                      changed
BAD, anything else                       protocol
no source holds the message              notfound
`

// smtpReplies is the table of SMTP replies (RFC 5321 section 4.2.1, RFC 4954 section 6).
const smtpReplies replies.Table = `250 after the dot       the message is accepted
530, 534, 535, 538      auth
4xx                     unavailable
other 5xx               refused
no reply after the dot  transfer: unknown whether accepted
`
