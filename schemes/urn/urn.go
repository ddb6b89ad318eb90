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
package urn

import (
	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Config is what the user's configuration says; nil is the zero value.
type Config struct {
	Table []Entry // tried in order, before what is built in
}

// Entry leads from names to other URIs.
type Entry struct {
	Prefix   string // "urn:example:"; compared without case up to the end of the namespace
	Template string // RFC 6570 level 1, and {+var}: urn, nid, nss and rest, which is what follows the prefix
}

// Scheme returns urn.
func Scheme(cfg *Config) fetch.Scheme {
	h := handler{}
	if cfg != nil {
		h.table = append(h.table, cfg.Table...)
	}
	return fetch.Scheme{
		Names:   []string{"urn"},
		Rules:   uri.Rules{Fold: uri.FoldPrefix},
		Does:    fetch.Does{Refers: true},
		LeadsTo: []string{"*"},
		Summary: "names that do not depend on a place",
		Spec:    "RFC 8141, RFC 2141, RFC 2648, RFC 3044, RFC 3061, RFC 3187, RFC 9562",
		Help:    help,
		Read:    read,
		Handler: h,
	}
}

// handler is immutable.
type handler struct{ table []Entry }

const help = `example: urn:ietf:rfc:2648
  -> https://www.rfc-editor.org/rfc/rfc2648.txt

case                                    error class
a name in the table                     - (referrals)
urn:uuid                                - (a description)
a name in no table                      unsupported
a name against its namespace's grammar  refused-url`

// Plan leads on. It is the whole of the algorithm but for names that are described.
func (h handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := readingOf(u, o.Mode)
	if err != nil {
		return nil, err
	}
	if o.Op != fetch.Retrieve && o.Op != fetch.Metadata {
		return nil, fetch.Errorf(fetch.ErrUnsupported, "urn has no operation %q", o.Op)
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
	if r.describes() {
		return &fetch.Plan{Shape: fetch.ShapeDocument, Type: "text/plain", Steps: []fetch.Step{{Verb: "describe", Args: []string{r.name}}}}, nil
	}
	return nil, &fetch.Error{Kind: fetch.ErrUnsupported, Text: "no table says where " + r.space() + " leads", Hint: "the configuration's urn table, or --gateway urn=TEMPLATE"}
}
