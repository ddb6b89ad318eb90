// Package urn resolves Uniform Resource Names: RFC 8141, RFC 2141, and the hierarchical form that the drafts sketch, urn:/a/b/c.
//
// A name does not contain the place of its object. Tables map it to other URIs: first the user's own, then the built-in namespaces:
//
//	urn:ietf:rfc:2648       ->  https://www.rfc-editor.org/rfc/rfc2648.txt          RFC 2648
//	urn:ietf:id:NAME        ->  https://www.ietf.org/archive/id/NAME.txt
//	urn:ietf:bcp|std|fyi:N  ->  https://www.rfc-editor.org/info/bcpN
//	urn:isbn:9780131103627  ->  https://openlibrary.org/isbn/9780131103627         RFC 3187
//	urn:issn:1560-1560      ->  https://portal.issn.org/resource/ISSN/1560-1560     RFC 3044
//	urn:oid:1.3.6.1         ->  http://oid-info.com/get/1.3.6.1                     RFC 3061
//
// The Client tries several candidates in order. Nothing is contacted to find them. A name in no table is unsupported. A name that
// violates its namespace's grammar is refused-url.
//
// If the setting urn.naptr names a DNS server, names in no table are looked up in the DNS (RFC 3401 to 3405). The NAPTR records of
// NID.urn.arpa are rules that rewrite the name to a URI or another key. Rules whose service does not return an object are ignored, and so are
// those that name a host. The result is a server's referral, and is followed as such.
//
//	NAPTR foo.urn.arpa       ->  100 10 "" "" "!^urn:foo:([^:]+):.*$!\1.example!"
//	NAPTR bar.example        ->  100 10 "u" "http+I2L" "!^urn:foo:[^:]+:(.*)$!http://h.example/\1!"
//
//	a name in a table           the referrals
//	no table, no urn.naptr      unsupported
//	a violation of the grammar  refused-url: of URNs or of a namespace
//	no rule applies             notfound: in the DNS
//	REFUSED                     refused
//	SERVFAIL, other codes       unavailable
//	no response                 timeout
package urn

import (
	"net"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/schemes/internal/replies"
	"example.org/deref/uri"
)

// Config is the user's configuration. A nil *Config means the zero Config.
type Config struct {
	Table []Entry // tried in order, before the built-in namespaces
	// Resolver is the DNS server, HOST[:PORT], for the value yes of the setting urn.naptr.
	Resolver string
}

// An Entry maps names to other URIs.
type Entry struct {
	Prefix   string // "urn:example:"; case-insensitive up to the end of the namespace
	Template string // RFC 6570 level 1, and {+var}: urn, nid, nss and rest, the part after the prefix
}

// Scheme returns the scheme urn.
func Scheme(cfg *Config) fetch.Scheme {
	t := &tables{wait: firstWait}
	if cfg != nil {
		t.entries = append(t.entries, cfg.Table...)
		t.resolver = cfg.Resolver
	}
	return t.scheme()
}

func (t *tables) scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:      []string{"urn"},
		Decode:     decode,
		Rules:      uri.Rules{Fold: uri.FoldPrefix, NameOnly: true},
		Ports:      []int{53},
		Does:       fetch.Does{Refers: true},
		MayReferTo: []string{"*"},
		Settings:   []fetch.Setting{{Key: settingNAPTR, Help: "look up namespaces that are not in the table in the DNS: HOST[:PORT] of a server, or yes for the system's"}},
		Summary:    "names that do not depend on a place",
		Spec:       "RFC 8141, RFC 2141, RFC 2648, RFC 3044, RFC 3061, RFC 3187, RFC 3401 to 3405",
		Help:       func() string { return help + string(outcomes) },
		Read:       read,
		Plan:       t.plan,
	}
}

// tables resolve names.
type tables struct {
	entries  []Entry
	resolver string
	wait     time.Duration // before a DNS query is repeated
}

const settingNAPTR = "urn.naptr"

// server returns the DNS server to query, "" for none.
func (t *tables) server(o *fetch.Options) (string, error) {
	s := o.Get(settingNAPTR)
	switch s {
	case "", "no":
		return "", nil
	case "yes":
		if s = t.resolver; s == "" {
			return "", fetch.Errorf(fetch.ErrLocal, "%s: the system has no DNS server", settingNAPTR)
		}
	}
	if _, _, err := net.SplitHostPort(s); err != nil {
		s = net.JoinHostPort(strings.Trim(s, "[]"), "53")
	}
	return s, nil
}

const help = `example: urn:ietf:rfc:2648
  -> https://www.rfc-editor.org/rfc/rfc2648.txt

`

const outcomes replies.Table = `a name in a table           the referrals
no table, no urn.naptr      unsupported
a violation of the grammar  refused-url: of URNs or of a namespace
no rule applies             notfound: in the DNS
REFUSED                     refused
SERVFAIL, other codes       unavailable
no response                 timeout
`

// plan returns the referrals of the tables, or else the steps of a DNS lookup.
func (t *tables) plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := parse(u, o.Mode)
	if err != nil {
		return nil, err
	}
	list, err := t.own(r)
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
	server, err := t.server(o)
	if err != nil {
		return nil, err
	}
	if server != "" && r.NID != nil {
		return t.discovery(r, server), nil
	}
	return nil, &fetch.Error{Kind: fetch.ErrUnsupported, Text: "no table has an entry for " + r.space(), Hint: hint.Set + " urn.naptr=yes"}
}
