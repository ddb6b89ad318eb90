// Package news reads Usenet: news and snews name groups and articles wherever they are held, nntp and nntps what one server
// calls by a number (RFC 5538, RFC 1738 sections 3.6 and 3.7; the protocol is RFC 3977).
//
//	news:*                      all groups                          nntp://host/group
//	news:comp.lang.*            the groups of a wildmat             nntp://host/group/42
//	news:comp.lang.c            a group                             nntp://host/group/100-200   (lenient: a range)
//	news:1993Mar.1@cern.ch      an article, with or without <>      nntp:group/42               (the drafts: the configured server)
//	news://host:port/...        the same from one server
//
// A news URI does not depend on a place: the host is never taken from a message-id, but is the configured news host or, as the
// drafts put it, "a body of news articles already received". Ports: news and nntp 119, snews and nntps 563 (TLS from the first octet).
//
//	S: 200 news.example.org ready
//	C: CAPABILITIES
//	C: GROUP comp.lang.c
//	C: ARTICLE 42
//	S: 101 capabilities follow
//	S: VERSION 2
//	S: READER
//	S: .
//	S: 211 3 40 42 comp.lang.c
//	S: 220 42 <1@example.org>
//	S: Path: ...
//	S: .
//
// What is asked in that flight takes three round trips in all. A server that is no reader yet has refused it, is told MODE READER alone, and
// then the same again; that is remembered, as is one that loses flights.
//
// An article is a document of type message/rfc822 as it came, but for the dots that were added. Its Entries are what its header leads to and
// its parts. A group is a listing of overview lines, "*" and wildmats are listings of groups. Numbers without an article are passed over.
//
// What the server's reply makes of it:
//
//	2xx                              the document
//	400, 403                         unavailable
//	411, 420, 421, 422, 423, 430     notfound; 423 and 430 lead to a configured archive
//	401, 440, 441, 502               refused
//	480, 481, 482                    auth
//	483, any refusal of STARTTLS     tls
//	503                              unsupported
//	anything else                    protocol
//	no reply behind an article       transfer: unknown whether accepted
//
// OVER that is not known becomes XOVER, then HEAD for each number; 420 and 423 to it are a group without articles. LIST COUNTS that is
// not known becomes LIST ACTIVE, HDR becomes XHDR, and NEWNEWS that is refused the overviews of the groups. LISTGROUP tells which numbers
// of a mailbox need not be asked for.
package news

import (
	"errors"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/uri"
)

// Config is what outlives single requests; nil is the zero value.
type Config struct {
	// Source is who is asked where a URI names no host: HOST[:PORT], or articles already received as spool:DIR, mbox:FILE or
	// maildir:DIR. Void: the host called "news", by the tradition of libwww and Lynx.
	Source string
	// Archives are asked for articles that a server does not have any more, in this order.
	Archives []Archive
}

// Schemes returns news, snews with its other name nntps, and nntp.
func Schemes(cfg *Config) []fetch.Scheme {
	v := variant{source: "news", port: 119, tls: fetch.NoTLS}
	if cfg != nil {
		v.archives = cfg.Archives
		if cfg.Source != "" {
			v.source = cfg.Source
		}
	}
	secure := v
	secure.port, secure.tls = 563, fetch.ImplicitTLS
	return []fetch.Scheme{
		v.scheme("groups and articles of Usenet", "news"),
		secure.scheme("groups and articles of Usenet, within TLS", "snews", "nntps"),
		v.scheme("articles by their number on one news server", "nntp"),
	}
}

// A variant is one of the three schemes with its configuration.
type variant struct {
	source   string // Config.Source, or "news"
	port     int
	tls      fetch.TLSMode
	archives []Archive
}

func (v variant) scheme(summary string, names ...string) fetch.Scheme {
	return fetch.Scheme{
		Names:      names,
		Rules:      uri.Rules{DefaultPort: v.port, Hierarchical: names[0] == "nntp"},
		MayReferTo: []string{"news", "snews", "nntp"},
		Summary:    summary,
		Spec:       "RFC 5538, RFC 3977, RFC 4642, RFC 4643",
		Does:       fetch.Does{Retrieves: true, Refers: true, Sends: true},
		Searches:   true,
		Help:       help,
		Settings:   settingsList(),
		Fragment:   maildoc.Fragment("news.part"),
		Read:       v.read,
		Grammar:    grammar,
		Plan:       v.plan,
	}
}

// grammar checks commands: each argument is a word (RFC 3977 section 9.2). Names and passwords, which are the rest of the line (RFC 4643
// section 3), and the arguments of local searches are not checked.
func grammar(s *fetch.Step) error {
	if s.Verb == "look" || strings.HasPrefix(s.Verb, "AUTHINFO") {
		return nil
	}
	if slices.ContainsFunc(s.Args, func(a string) bool { return !isWord(a) }) {
		return errors.New("an argument of " + s.Verb + " is empty, or contains a blank or control character")
	}
	return nil
}

const help = `example: nntp://news.example.org/comp.lang.c/42
  CAPABILITIES
  GROUP comp.lang.c
  ARTICLE 42

reply                              error class
2xx                                -
400, 403                           unavailable
411, 420, 421, 422, 423, 430       notfound, or a referral to a configured archive
401, 440, 441, 502                 refused
480, 481, 482                      auth
483, a refusal of STARTTLS         tls
503                                unsupported
anything else                      protocol
no reply behind a posted article   transfer`
