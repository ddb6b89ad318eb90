package urn

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/uri"
)

// Check returns an error if the prefix begins no urn, or if the template does not result in a URI.
func (e Entry) Check() error {
	if len(e.Prefix) < len("urn:") || !strings.EqualFold(e.Prefix[:len("urn:")], "urn:") {
		return fetch.Errorf(fetch.ErrLocal, "bad prefix in the urn table: %q", e.Prefix)
	}
	r := request{name: e.Prefix + "x"}
	if u, err := uri.Parse(r.expand(e.Template, "x")); err != nil || !u.IsAbs() || strings.ContainsAny(u.String(), "{}") {
		return fetch.Errorf(fetch.ErrLocal, "the template of the urn table for %s does not result in a URI", e.Prefix)
	}
	return nil
}

// own returns the referrals of the user's table.
func (t *tables) own(r *request) (list []fetch.Referral, err error) {
	for _, e := range t.entries {
		rest, ok := r.after(e.Prefix)
		if !ok {
			continue
		}
		u, err := uri.Parse(r.expand(e.Template, rest))
		if err != nil || !u.IsAbs() {
			return nil, fetch.Errorf(fetch.ErrLocal, "the template of the urn table for %s does not result in a URI", e.Prefix)
		}
		list = append(list, fetch.Referral{URI: u, Reason: "urn table, " + e.Prefix, Own: true})
	}
	return list, nil
}

// after returns the part of the name after a prefix, which is case-insensitive up to the second colon.
func (r *request) after(prefix string) (string, bool) {
	fold := len("urn:")
	if r.NID != nil {
		fold += len(*r.NID) + len(":")
	}
	if prefix == "" || len(prefix) > len(r.name) || !strings.EqualFold(r.name[:min(fold, len(prefix))], prefix[:min(fold, len(prefix))]) {
		return "", false
	}
	if len(prefix) > fold && r.name[fold:len(prefix)] != prefix[fold:] {
		return "", false
	}
	return r.name[len(prefix):], true
}

// expand fills in a template. {var} escapes all but unreserved characters, so that a name cannot choose the host or scheme. {+var} keeps
// reserved characters (RFC 6570 sections 3.2.2 and 3.2.3).
func (r *request) expand(template, rest string) string {
	nid, nss := "", ""
	if r.NID != nil {
		nid, nss = *r.NID, string(*r.NSS)
	}
	pairs := []string{}
	for _, v := range [...]struct{ name, value string }{{"urn", r.name}, {"nid", nid}, {"nss", nss}, {"rest", rest}} {
		pairs = append(pairs, "{"+v.name+"}", uri.EscapeBut(v.value, unreserved), "{+"+v.name+"}", v.value)
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

// known returns the referrals of the built-in namespaces.
func (r *request) known() ([]fetch.Referral, error) {
	if r.NID == nil {
		return nil, nil
	}
	to, err := "", error(nil)
	switch nss := string(*r.NSS); *r.NID {
	case "ietf":
		return r.ietf()
	case "isbn":
		to, err = isbn(nss)
	case "issn":
		to, err = issn(nss)
	case "oid":
		to, err = oid(nss)
	}
	if to == "" || err != nil {
		return nil, err
	}
	return r.refer(to), nil
}

func (r *request) refer(to ...string) (list []fetch.Referral) {
	for _, s := range to {
		list = append(list, fetch.Referral{URI: uri.MustParse(s), Reason: "namespace " + *r.NID})
	}
	return list
}

// ietf parses a name of RFC 2648: the series, a colon, and a number or the name of a draft. The other classes (mtg, params) are in no
// archive under their name.
func (r *request) ietf() ([]fetch.Referral, error) {
	class, id, _ := strings.Cut(string(*r.NSS), ":")
	class = strings.ToLower(class)
	switch class {
	case "rfc", "bcp", "std", "fyi":
		if n, ok := urifield.Digits(id); !ok || n == 0 {
			return nil, fetch.Errorf(fetch.ErrRefusedURL, "urn:ietf:%s: must be followed by a number (RFC 2648 section 2)", class)
		}
		id = strings.TrimLeft(id, "0")
	case "id":
		if !strings.HasPrefix(id, "draft-") || strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.") != "" || strings.Contains(id, "..") {
			return nil, fetch.Errorf(fetch.ErrRefusedURL, "urn:ietf:id: must be followed by the name of a draft")
		}
		return r.refer("https://www.ietf.org/archive/id/"+strings.TrimSuffix(id, ".txt")+".txt", "https://datatracker.ietf.org/doc/"+strings.TrimSuffix(id, ".txt")), nil
	default:
		return nil, nil
	}
	if class == "rfc" {
		return r.refer("https://www.rfc-editor.org/rfc/rfc"+id+".txt", "ftp://ftp.rfc-editor.org/in-notes/rfc"+id+".txt"), nil
	}
	return r.refer("https://www.rfc-editor.org/info/" + class + id), nil
}

// isbn parses 10 or 13 digits with hyphens, the last of 10 perhaps X (RFC 3187).
func isbn(nss string) (string, error) {
	s := strings.ToUpper(strings.ReplaceAll(nss, "-", ""))
	if digits := strings.TrimSuffix(s, "X"); len(s) != 10 && len(s) != 13 || strings.Trim(digits, "0123456789") != "" || len(s) == 13 && digits != s {
		return "", fetch.Errorf(fetch.ErrRefusedURL, "an ISBN has 10 or 13 digits (RFC 3187)")
	}
	return "https://openlibrary.org/isbn/" + s, nil
}

// issn parses four digits, a hyphen, three digits and a digit or X (RFC 3044).
func issn(nss string) (string, error) {
	s := strings.ToUpper(nss)
	if len(s) != 9 || s[4] != '-' || strings.Trim(s[:4]+s[5:8], "0123456789") != "" || !strings.Contains("0123456789X", s[8:]) {
		return "", fetch.Errorf(fetch.ErrRefusedURL, "an ISSN is written NNNN-NNNN (RFC 3044)")
	}
	return "https://portal.issn.org/resource/ISSN/" + s, nil
}

// oid parses numbers without leading zeros, separated by dots (RFC 3061).
func oid(nss string) (string, error) {
	for n := range strings.SplitSeq(nss, ".") {
		if n == "" || len(n) > 39 || strings.Trim(n, "0123456789") != "" || len(n) > 1 && n[0] == '0' {
			return "", fetch.Errorf(fetch.ErrRefusedURL, "an object identifier consists of numbers and dots (RFC 3061)")
		}
	}
	return "http://oid-info.com/get/" + nss, nil
}

// unreserved are the characters that need no escape in a URI, besides letters and digits: RFC 3986 section 2.3.
const unreserved = "-._~"
