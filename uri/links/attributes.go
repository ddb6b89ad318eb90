package links

import "strings"

// references returns the references that an attribute of an element holds.
func references(element, attribute string, all attributes) []string {
	v := all[attribute]
	switch attribute {
	case "srcset", "imagesrcset":
		return candidates(v)
	case "ping", "archive":
		return strings.FieldsFunc(v, func(r rune) bool {
			return r == ',' && attribute == "archive" || r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '\f'
		})
	case "content":
		if element == "meta" && strings.EqualFold(all["http-equiv"], "refresh") {
			return refresh(v)
		}
		return nil
	}
	if holdsURI(element, attribute) {
		return []string{v}
	}
	return nil
}

// holdsURI reports whether the attribute is a URI: HTML 4.01 §"Index of
// Attributes" (%URI), the HTML Standard's "URL" attributes, and what came before
// (HTML 2.0, HTML+, HTML 3.0). The N of NEXTID is a name, no reference (HTML 2.0 §5.2.6).
func holdsURI(element, attribute string) bool {
	switch attribute {
	case "href": // a, link, base, area; also isindex (HTML+), image and use (SVG)
		return element != "nextid"
	case "src": // also fig, overlay, note, hr, ul, li, math (HTML 3.0)
		return true
	case "action", "formaction", "cite", "longdesc", "background", "lowsrc", "dynsrc", "poster", "manifest",
		"codebase", "usemap", "xlink:href", "urn":
		return true
	case "data", "classid":
		return element == "object"
	case "profile":
		return element == "head"
	}
	return false
}

// candidates reads a srcset: references, each with a descriptor that may be
// absent, between commas. HTML Standard §4.8.4.2.1.
func candidates(s string) (refs []string) {
	for {
		s = strings.TrimLeft(s, " \t\r\n\f,")
		if s == "" {
			return refs
		}
		end := strings.IndexAny(s, " \t\r\n\f")
		if end < 0 {
			end = len(s)
		}
		ref := strings.TrimRight(s[:end], ",")
		refs = append(refs, ref)
		if len(ref) < end { // the comma ended it: no descriptor
			s = s[end:]
			continue
		}
		_, s = cutDescriptor(s[end:])
	}
}

// cutDescriptor cuts s behind the first comma that stands outside parentheses.
func cutDescriptor(s string) (string, string) {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth <= 0 {
				return s[:i], s[i+1:]
			}
		}
	}
	return s, ""
}

// refresh reads the content of <meta http-equiv=refresh>: "5; url='x'". HTML
// Standard §4.2.5.3.
func refresh(s string) []string {
	i := strings.IndexAny(s, ";,")
	if i < 0 {
		return nil
	}
	s = strings.TrimLeft(s[i+1:], " \t\r\n\f")
	if len(s) >= 3 && strings.EqualFold(s[:3], "url") {
		if v := strings.TrimLeft(s[3:], " \t\r\n\f"); strings.HasPrefix(v, "=") {
			s = strings.TrimLeft(v[1:], " \t\r\n\f")
		}
	}
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		s, _, _ = strings.Cut(s[1:], s[:1])
	}
	if s == "" {
		return nil
	}
	return []string{s}
}
