// Package urn resolves Uniform Resource Names: RFC 8141, RFC 2141, and the hierarchical form that the drafts sketch, urn:/a/b/c.
//
// A name says nothing of where its object is. It leads on by a table: first the user's own, then what is known of a namespace:
//
//	urn:ietf:rfc:2648       ->  https://www.rfc-editor.org/rfc/rfc2648.txt          RFC 2648
//	urn:ietf:id:NAME        ->  https://www.ietf.org/archive/id/NAME.txt
//	urn:ietf:bcp|std|fyi:N  ->  https://www.rfc-editor.org/info/bcpN
//	urn:isbn:9780131103627  ->  https://openlibrary.org/isbn/9780131103627         RFC 3187
//	urn:issn:1560-1560      ->  https://portal.issn.org/resource/ISSN/1560-1560     RFC 3044
//	urn:oid:1.3.6.1         ->  http://oid-info.com/get/1.3.6.1                     RFC 3061
//
// Several candidates are tried in order by the Client; nothing is contacted to find them. urn:uuid names nothing that could be
// retrieved: it is described. A name in no table is unsupported; one that breaks its namespace's grammar is refused-url.
//
// Where the setting urn.naptr names a DNS server, names that are in no table are asked of the DNS (RFC 3401 to 3405): the NAPTR records of
// NID.urn.arpa are rules which make of the name a URI, another key, or a host that resolves it by HTTP (RFC 2169). Only rules whose service
// leads to an object count; what they lead to is a server's word, and is followed as such.
//
//	NAPTR foo.urn.arpa       ->  100 10 "" "" "!^urn:foo:([^:]+):.*$!\1.example!"
//	NAPTR bar.example        ->  100 10 "u" "http+I2L" "!^urn:foo:[^:]+:(.*)$!http://h.example/\1!"
//
//	no rule applies          notfound
//	REFUSED                  refused
//	SERVFAIL and alike       unavailable
//	no answer                timeout
package urn

import (
	"net"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Config is what the user's configuration says; nil is the zero value.
type Config struct {
	Table []Entry // tried in order, before what is built in
	// Resolver is the DNS server, HOST[:PORT], that is meant by the setting urn.naptr where that only says yes.
	Resolver string
}

// Entry leads from names to other URIs.
type Entry struct {
	Prefix   string // "urn:example:"; compared without case up to the end of the namespace
	Template string // RFC 6570 level 1, and {+var}: urn, nid, nss and rest, which is what follows the prefix
}

// Scheme returns urn.
func Scheme(cfg *Config) fetch.Scheme {
	h := handler{wait: firstWait}
	if cfg != nil {
		h.table = append(h.table, cfg.Table...)
		h.resolver = cfg.Resolver
	}
	return fetch.Scheme{
		Names:      []string{"urn"},
		Rules:      uri.Rules{Fold: uri.FoldPrefix, NameOnly: true},
		Ports:      []int{53},
		Does:       fetch.Does{Refers: true},
		MayReferTo: []string{"*"},
		Settings:   []fetch.Setting{{Key: settingNAPTR, Help: "ask the DNS where names in no table lead: HOST[:PORT] of a server, or yes for the system's"}},
		Summary:    "names that do not depend on a place",
		Spec:       "RFC 8141, RFC 2141, RFC 2648, RFC 3044, RFC 3061, RFC 3187, RFC 3401 to 3405, RFC 9562",
		Help:       help,
		Read:       read,
		Handler:    h,
	}
}

// handler is immutable.
type handler struct {
	table    []Entry
	resolver string
	wait     time.Duration // before a question is asked again
}

const settingNAPTR = "urn.naptr"

// server is the DNS server to be asked, "" for none.
func (h handler) server(o *fetch.Options) (string, error) {
	s := o.Get(settingNAPTR)
	switch s {
	case "", "no":
		return "", nil
	case "yes":
		if s = h.resolver; s == "" {
			return "", fetch.Errorf(fetch.ErrLocal, "%s: the system names no DNS server", settingNAPTR)
		}
	}
	if _, _, err := net.SplitHostPort(s); err != nil {
		s = net.JoinHostPort(strings.Trim(s, "[]"), "53")
	}
	return s, nil
}

const help = `example: urn:ietf:rfc:2648
  -> https://www.rfc-editor.org/rfc/rfc2648.txt

case                                    error class
a name in the table                     - (referrals)
urn:uuid                                - (a description)
a name in no table                      unsupported, or with urn.naptr a referral of the DNS
a name against its namespace's grammar  refused-url`

// Plan leads on. It is the whole of the algorithm but for names that are described.
func (h handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := readingOf(u, o.Mode)
	if err != nil {
		return nil, err
	}
	if o.Op != fetch.Retrieve && o.Op != fetch.Metadata {
		return nil, fetch.NoOperation("urn", o.Op)
	}
	list, err := h.own(r)
	if err != nil {
		return nil, err
	}
	known, err := r.known()
	if err != nil {
		return nil, err
	}
	if list = append(list, known...); len(list) > 0 {
		return &fetch.Plan{Shape: fetch.ShapeReferral, Refers: list}, nil
	}
	server, err := h.server(o)
	if err != nil {
		return nil, err
	}
	if server != "" && r.NID != nil && !r.describes() {
		return discovery(r, server), nil
	}
	if r.describes() {
		return &fetch.Plan{Shape: fetch.ShapeDocument, Type: "text/plain", Steps: []fetch.Step{{Verb: "describe", Args: []string{r.name}}}}, nil
	}
	return nil, &fetch.Error{Kind: fetch.ErrUnsupported, Text: "no table says where " + r.space() + " leads", Hint: "the configuration's urn table, --gateway urn=TEMPLATE, or --set urn.naptr=yes"}
}
