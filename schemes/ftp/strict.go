package ftp

import (
	"strconv"
	"strings"
	"time"

	"example.org/deref/schemes/ftp/listing"
)

// strict reports a reply that is accepted although the specification has another one.
func (c *control) strict(verb string, r reply) {
	_, codes, section := replyRule(verb)
	if !c.env.Strict() || codes == "" {
		return
	}
	if verb == "FEAT" && r.class() == 2 {
		c.features = r.text
	}
	where := "the reply to " + verb
	switch verb {
	case greeted:
		where = "the greeting"
	case atEnd:
		where = "the reply after the transfer"
	}
	switch {
	case r.class() == 5 && (verb == "EPSV" || notImplemented(r.code)) && offers(c.features, verb):
		c.env.Deviates("RFC 2389 section 3.2", where, "%d, although FEAT lists %s", r.code, verb)
	case r.class() < 4 && !strings.Contains(codes, strconv.Itoa(r.code)):
		c.env.Deviates(section, where, "%d instead of %s", r.code, codes)
	case verb == "SIZE" && r.code == 213 && !isNumber(r.text):
		c.env.Deviates(section, where, "%q instead of a number", clip(r.text))
	case verb == "MDTM" && r.code == 213 && !isTimeVal(r.text):
		c.env.Deviates("RFC 3659 section 2.3", where, "%q instead of YYYYMMDDHHMMSS", clip(r.text))
	case verb == "USER" && r.class() >= 4 && r.code/10 == 53 && crowded(r.text), verb == "PASS" && r.code/10 == 53 && crowded(r.text):
		c.env.Deviates("RFC 959 section 5.4", where, "%d instead of 421 for too many users", r.code)
	}
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// isTimeVal reports whether s is a time-val, with or without a fraction.
func isTimeVal(s string) bool {
	_, fraction, dot := strings.Cut(s, ".")
	_, t := parseMDTM(s)
	return !t.IsZero() && (!dot || isNumber(fraction))
}

// listingOptions returns how to parse the listing of a command, with what strict mode reports of it. LIST has no format, but its lines end as in
// every text, unless the type is image.
func (r *retrieval) listingOptions(verb string) *listing.Options {
	o := &listing.Options{Now: time.Now()}
	if !r.env.Strict() {
		return o
	}
	rule := "RFC 959 section 3.1.1.1"
	if verb == "MLSD" {
		rule = "RFC 3659 section 7.2"
		o.Facts = func(section, wrong string) { r.env.Deviates(section, "the listing of MLSD", "%s", wrong) }
	}
	if verb == "MLSD" || r.s.typ != "I" {
		o.LineEnd = func(wrong string) { r.env.Deviates(rule, "a line of the listing", "%s", wrong) }
	}
	return o
}

// strict reports line ends of a text that are not those of the network.
func (t *text) strict(p []byte) {
	if t.env == nil || !t.env.Strict() {
		return
	}
	if wrong := t.ends.Wrong(p); wrong != "" {
		t.env.Deviates("RFC 959 section 3.1.1.1", "a line of the text", "%s", wrong)
	}
}
