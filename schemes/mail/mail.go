// Package mail reads mail as a part of the Web: mid and cid (RFC 2392), mailto (RFC 6068), imap and imaps (RFC 5092, RFC 9051).
//
//	mid:960830.1639@XIson.com            the message of that Message-ID, "within a body of mail already received"
//	mid:960830.1639@XIson.com/part@x     one of its body parts
//	cid:part@x                           the body part of that Content-ID, within the same message (--base)
//	mailto:ann@example.org               "the set of messages sent to or from that address", as far as one has them
//	imap://ann@host/INBOX/;UID=20        a message, or with /;SECTION=1.2 and /;PARTIAL=0.1024 a part of one
//	imap://host/INBOX?FROM%20%22bob%22   a search; without one the folder's messages; without a folder the folders
//
// mid and mailto look into the sources that are configured, in their order. mailto with the operation send is a submission by SMTP
// (RFC 6409, RFC 5321).
//
//	S: * OK IMAP4rev1 ready
//	C: a1 CAPABILITY                              C: EHLO here.example
//	C: a2 LOGIN ...                               C: MAIL FROM:<bob@example.org>
//	C: a3 EXAMINE INBOX                           C: RCPT TO:<ann@example.org>
//	C: a4 UID FETCH 20 BODY.PEEK[]                C: DATA
//
// What the reply makes of it:
//
//	OK                                   the document
//	NO to LOGIN or AUTHENTICATE          auth
//	NO [NONEXISTENT], no such UID        notfound
//	NO [NOPERM], another NO              refused
//	BYE, NO [UNAVAILABLE] or [INUSE]     unavailable
//	another UIDVALIDITY                  changed
//	BAD, anything else                   protocol
//	no source holds it                   notfound
//	SMTP 4yz                             unavailable
//	SMTP 530, 534, 535                   auth
//	SMTP 5yz                             refused
//	no final reply after the dot         transfer ("unknown whether accepted")
package mail

import (
	"io"
	"iter"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/uri"
)

// Config is what the user's configuration says; nil is the zero value.
type Config struct {
	Sources []Source // asked for mid and mailto, in this order
	// Submission is the server that takes messages: HOST[:PORT], smtp://..., smtps://...; void: localhost:587.
	Submission string
	From       string // the user's address

	// Cache is a folder for what makes a second look at stores on this machine faster, and may be lost at any time; "" keeps nothing.
	Cache string
	// Page finds the links of a page that is part of a message: render/htmltext.Links. nil finds none.
	Page func(r io.Reader, base uri.URI) iter.Seq2[fetch.Entry, error]
	// Input is the message in which cid: looks where no base is named: standard input.
	Input func() (io.ReadCloser, error)
}

// Schemes returns mid, cid, mailto, imap and imaps.
func Schemes(cfg *Config) []fetch.Scheme {
	c := Config{}
	if cfg != nil {
		c = *cfg
	}
	list := []fetch.Scheme{
		{Names: []string{"mid"}, Local: true, Summary: "messages by their Message-ID", Spec: "RFC 2392", Does: fetch.Does{Retrieves: true, Refers: true}, Settings: midSettings(), Fragment: maildoc.Fragment("mid.part"), Read: readMid, Handler: mid{Config: c}},
		{Names: []string{"cid"}, Local: true, Summary: "parts of a message by their Content-ID", Spec: "RFC 2392", Does: fetch.Does{Retrieves: true, Refers: true}, Read: readCid, Handler: cid{Config: c}},
		{Names: []string{"mailto"}, Local: true, Summary: "the messages to and from an address; messages to it", Spec: "RFC 6068, RFC 6409", Does: fetch.Does{Retrieves: true, Sends: true}, Searches: true,
			Settings: mailtoSettings(),
			Rules:    uri.Rules{Fold: uri.FoldDomain}, Read: readMailto, Grammar: smtpGrammar, Handler: mailto{Config: c}},
		imapScheme(c, "imap", 143, fetch.NoTLS), imapScheme(c, "imaps", 993, fetch.ImplicitTLS),
	}
	for i := range list {
		list[i].Help = help
	}
	list[0].Ports, list[2].Ports = sourcePorts(), append(sourcePorts(), 25, 465, 587)
	list[0].MayReferTo, list[1].MayReferTo, list[2].MayReferTo = []string{"imap", "imaps", "news", "snews"}, []string{"ftp", "http", "https"}, []string{"mid", "imap", "imaps"}
	return list
}

func midSettings() []fetch.Setting {
	return []fetch.Setting{
		{Key: "mid.all", Values: "no yes", Help: "yes: all messages of the id that the sources hold, not the first alone"},
		{Key: "mid.view", Values: "list mbox", Help: "mbox: the message, or all of them, as a mailbox (mboxrd)"},
		{Key: "mid.part", Help: "N: a part of the message, decoded; parts are counted as its entries are (MIME, uuencode, yEnc)", Valid: validPart},
	}
}

func imapSettings() []fetch.Setting {
	return []fetch.Setting{
		{Key: "imap.ssl", Values: "never try require", Help: "never, try, require: STARTTLS; without it, try"},
		{Key: "imap.view", Values: "list mbox", Help: "mbox: the messages of a folder or search themselves, in one mailbox (mboxrd)"},
		{Key: "imap.part", Help: "N: a part of a message, decoded; parts are counted as its entries are (MIME, uuencode, yEnc)", Valid: validPart},
	}
}

func mailtoSettings() []fetch.Setting {
	return []fetch.Setting{
		{Key: "mailto.since", Help: "messages of this date or later only: YYYY-MM-DD, RFC 3339 or RFC 9110", Valid: validDate},
		{Key: "mailto.view", Values: "list mbox", Help: "mbox: the messages themselves, in one mailbox (mboxrd)"},
		{Key: "mailto.smtp", Help: "HOST[:PORT], smtp://... or smtps://...: the server that takes messages (default localhost:587)"},
		{Key: "mailto.from", Help: "the address of the sender"},
		{Key: "mailto.ssl", Values: "never try require", Help: "never, try, require: STARTTLS; without it, try"},
		{Key: "mailto.notify", Help: "never, or some of success,failure,delay: what is to be reported of the delivery (RFC 3461)"},
		{Key: "mailto.return", Values: "full headers", Help: "full, headers: how much of the message comes back with a report"},
		{Key: "mailto.envid", Help: "TEXT by which reports name the message"},
		{Key: "mailto.dry-run", Values: "no yes", Help: "yes: the message is made and told to the trace, and nobody is contacted"},
	}
}

// sourcePorts are those of mail sources; a mid or mailto URI itself has none.
func sourcePorts() []int { return []int{119, 143, 563, 993} }

func imapScheme(c Config, name string, port int, tls fetch.TLSMode) fetch.Scheme {
	h := imap{Config: c, name: name, port: port, tls: tls}
	summary := "folders and messages of an IMAP server"
	if tls == fetch.ImplicitTLS {
		summary += ", within TLS"
	}
	return fetch.Scheme{
		Names: []string{name}, Rules: uri.Rules{DefaultPort: port, Hierarchical: true}, MayReferTo: []string{"imap", "imaps"},
		Does: fetch.Does{Retrieves: true}, Searches: true, Settings: imapSettings(), Fragment: maildoc.Fragment("imap.part"),
		Summary: summary, Spec: "RFC 5092, RFC 9051", Read: h.read, Login: c.login, Handler: h,
	}
}

const help = `example: imap://ann@host.example/INBOX/;UID=20
  CAPABILITY
  LOGIN ***
  EXAMINE INBOX
  UID FETCH 20 BODY.PEEK[]

reply                              error class
OK                                 -
NO to LOGIN or AUTHENTICATE        auth
NO [NONEXISTENT], no such UID      notfound
no source holds the message        notfound
another NO                         refused
BYE, NO [UNAVAILABLE], SMTP 4yz    unavailable
another UIDVALIDITY                changed
BAD, anything else                 protocol
SMTP 530, 534, 535                 auth
SMTP 5yz                           refused
no final reply to a message        transfer`
