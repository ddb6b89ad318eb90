package ftp

import (
	"fmt"
	"slices"
	"strings"

	"example.org/deref/schemes/ftp/listing"
)

// successes are the positive replies that a command may have, for strict mode. What fits accepts besides is a deviation.
func successes(verb string) (codes []int, section string) {
	const general = "RFC 959 section 5.4"
	switch verb {
	case greeted:
		return []int{120, 220}, general
	case "USER":
		return []int{230, 331, 332}, general
	case "PASS":
		return []int{202, 230, 332}, general
	case "ACCT":
		return []int{202, 230}, general
	case "CWD":
		return []int{250}, general
	case "PWD":
		return []int{257}, general
	case "TYPE", "PORT":
		return []int{200}, general
	case "PASV":
		return []int{227}, general
	case "REST":
		return []int{350}, general
	case "RETR", "LIST":
		return []int{125, 150}, general
	case atEnd:
		return []int{110, 125, 150, 226}, "RFC 959 section 5.2" // 250 means that the data connection is left open; closing it is how the file ends
	case "MLSD":
		return []int{125, 150}, "RFC 3659 section 7.2"
	case "EPSV":
		return []int{229}, "RFC 2428 section 3"
	case "EPRT":
		return []int{200}, "RFC 2428 section 2"
	case "SIZE":
		return []int{213}, "RFC 3659 section 4.1"
	case "MDTM":
		return []int{213}, "RFC 3659 section 3.1"
	case "FEAT":
		return []int{211}, "RFC 2389 section 3.2"
	case "AUTH":
		return []int{234}, "RFC 4217 section 4"
	case "PBSZ", "PROT":
		return []int{200}, "RFC 4217 section 9"
	}
	return nil, ""
}

// greeted stands for the verb before the greeting.
const greeted = "connecting"

// strict reports a reply that is accepted although the specification has another one.
func (c *control) strict(verb string, r reply) {
	codes, section := successes(verb)
	if !c.env.Strict() || codes == nil {
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
	case r.class() < 4 && !slices.Contains(codes, r.code):
		c.env.Deviates(section, where, "%d instead of %s", r.code, list(codes))
	case verb == "SIZE" && r.code == 213 && !isNumber(r.text):
		c.env.Deviates(section, where, "%q instead of a number", clip(r.text))
	case verb == "MDTM" && r.code == 213 && !isTimeVal(r.text):
		c.env.Deviates("RFC 3659 section 2.3", where, "%q instead of YYYYMMDDHHMMSS", clip(r.text))
	case verb == "USER" && r.class() >= 4 && r.code/10 == 53 && crowded(r.text), verb == "PASS" && r.code/10 == 53 && crowded(r.text):
		c.env.Deviates("RFC 959 section 5.4", where, "%d instead of 421 for too many users", r.code)
	}
}

func list(codes []int) string {
	var b strings.Builder
	for i, c := range codes {
		if i > 0 {
			b.WriteString(" or ")
		}
		fmt.Fprint(&b, c)
	}
	return b.String()
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// isTimeVal reports whether s is a time-val, with or without a fraction.
func isTimeVal(s string) bool {
	whole, fraction, dot := strings.Cut(s, ".")
	_, t := parseMDTM(whole)
	return len(whole) == 14 && !t.IsZero() && (!dot || isNumber(fraction))
}

// A listingCheck holds the functions that report what is wrong with a listing. All are nil without strict mode.
type listingCheck struct {
	line    func(listing.Line)
	lineEnd func(wrong string)
	facts   func(section, wrong string)
}

// strictListing returns the functions for the listing of a command. LIST has no format, but its lines end as in every text, unless the type is
// image.
func (r *retrieval) strictListing(verb string) (c listingCheck) {
	if !r.env.Strict() {
		return c
	}
	rule, where := "RFC 959 section 3.1.1.1", "a line of the listing"
	if verb == "MLSD" {
		rule = mlsdRule
		c.facts = func(section, wrong string) { r.env.Deviates(section, "the listing of MLSD", "%s", wrong) }
		c.line = func(l listing.Line) {
			if l.Kind == listing.Unknown {
				r.env.Deviates(mlsdRule, "the listing of MLSD", "a line without facts and name")
			}
		}
	}
	if verb == "MLSD" || r.s.typ != "I" {
		c.lineEnd = func(wrong string) { r.env.Deviates(rule, where, "%s", wrong) }
	}
	return c
}

// mlsdRule is the section about the format of MLSD.
const mlsdRule = "RFC 3659 section 7.2"

// strict reports line ends of a text that are not those of the network.
func (t *text) strict(p []byte) {
	if t.env == nil || !t.env.Strict() {
		return
	}
	if wrong := t.ends.Wrong(p); wrong != "" {
		t.env.Deviates("RFC 959 section 3.1.1.1", "a line of the text", "%s", wrong)
	}
}
