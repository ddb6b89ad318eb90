// Package news dereferences the URIs of Usenet: news and snews name groups and articles wherever they are stored, nntp and nntps name an
// article by its number on one server (RFC 5538, RFC 1738 sections 3.6 and 3.7; the protocol is RFC 3977).
//
//	news:*                      all groups                          nntp://host/group
//	news:comp.lang.*            the groups of a wildmat             nntp://host/group/42
//	news:comp.lang.c            a group                             nntp://host/group/100-200   (lenient: a range)
//	news:1993Mar.1@cern.ch      an article, with or without <>      nntp:group/42               (the drafts: the configured server)
//	news://host:port/...        the same from one server
//
// A news URI does not depend on a place: its server is never derived from a message-id, but is the configured news host or, in the words
// of the drafts, "a body of news articles already received". Ports: news and nntp 119, snews and nntps 563 (TLS from the first byte).
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
// This pipeline takes three round trips in total. A server that does not serve readers yet refuses it; it gets MODE READER alone, and
// then the same commands again. The Client remembers such servers, and those that lose pipelined commands.
//
// An article is a document of type message/rfc822, raw but without dot-stuffing. Its Entries are the links of its header and its parts. A
// group is a listing of overview lines; "*" and wildmats are listings of groups. Numbers without an article are skipped.
//
// Replies become these errors:
//
//	2xx                           the document
//	400, 403                      unavailable
//	411, 420, 421, 422, 423, 430  notfound: or, after 423 and 430, a referral to a configured archive
//	401, 440, 441, 502            refused
//	480, 481, 482                 auth
//	483, any refusal of STARTTLS  tls
//	503                           unsupported
//	anything else                 protocol
//	no reply after an article     transfer: unknown whether accepted
//
// If OVER is unknown, XOVER is sent, then HEAD for each number; 420 and 423 in response to OVER mean a group without articles. If LIST
// COUNTS is unknown, LIST ACTIVE is sent; instead of HDR, XHDR; and if NEWNEWS is refused, the overviews of the groups are read.
// LISTGROUP saves requests for missing numbers of a mailbox.
package news

import (
	"errors"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/uri"
)

// Config holds the user's configuration. A nil *Config means the zero Config.
type Config struct {
	// Source serves URIs without a host: HOST[:PORT], or local articles as spool:DIR, mbox:FILE or maildir:DIR. Empty means the host
	// called "news", by the tradition of libwww and Lynx.
	Source string
	// Archives are tried, in this order, for articles that a server no longer has.
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
		LineEnds:   fetch.LineEnds{Replies: "RFC 3977 section 3.1", Texts: "RFC 3977 section 3.1.1"},
		Rules:      uri.Rules{DefaultPort: v.port, Hierarchical: names[0] == "nntp"},
		MayReferTo: []string{"news", "snews", "nntp"},
		Summary:    summary,
		Spec:       "RFC 5538, RFC 3977, RFC 4642, RFC 4643",
		Does:       fetch.Does{Retrieves: true, Refers: true, Sends: true},
		Searches:   true,
		Help:       func() string { return help + string(codes) },
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

`
