package links

import (
	"slices"
	"strings"

	"example.org/deref/uri/markup"
)

// white is the white space of HTML.
const white = " \t\r\n\f"

// A span is the position of a reference in the decoded value of an attribute: value[from:to]. Rewrite uses it because the text of a reference may
// also occur earlier in the value.
type span struct{ from, to int }

// references returns the references in an attribute of an element, in order.
func references(element, attribute string, all attributes) []span {
	v := all[attribute]
	switch attribute {
	case "srcset", "imagesrcset":
		return candidates(v)
	case "ping":
		return fields(v, white)
	case "archive":
		return fields(v, white+",")
	case "content":
		if element == "meta" && strings.EqualFold(all["http-equiv"], "refresh") {
			if _, from, to, ok := markup.Refresh(v); ok && from < to {
				return []span{{from, to}}
			}
		}
		return nil
	}
	if holdsURI(element, attribute) && !(element == "link" && namesServer(all["rel"])) {
		return []span{trimmed(v)}
	}
	return nil
}

// namesServer reports whether a <link> only lets browsers connect to a server early (Resource Hints sections 2.1 and 2.2). There may be no document at
// its URI.
func namesServer(rel string) bool {
	for kind := range strings.FieldsSeq(strings.ToLower(rel)) {
		if kind != "preconnect" && kind != "dns-prefetch" {
			return false
		}
	}
	return strings.TrimSpace(rel) != ""
}

// trimmed returns the span of s without the white space around it.
func trimmed(s string) span {
	from := len(s) - len(strings.TrimLeft(s, white))
	return span{from, from + len(strings.TrimRight(s[from:], white))}
}

// fields returns the spans between the separators.
func fields(s, separators string) (refs []span) {
	for i := 0; i < len(s); {
		n := strings.IndexAny(s[i:], separators)
		if n < 0 {
			n = len(s) - i
		}
		if n > 0 {
			refs = append(refs, span{i, i + n})
		}
		i += n + 1
	}
	return refs
}

// holdsURI reports whether the value of an attribute is a URI: HTML 4.01 §"Index of Attributes" (%URI), the "URL" attributes of the HTML
// Standard, HTML 2.0, HTML+ and HTML 3.0. The N of NEXTID is a name, not a reference (HTML 2.0 §5.2.6).
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

// isEmbedded reports whether a document is shown together with the target of an attribute. rel is the value of the element's rel attribute.
func isEmbedded(element, attribute, rel string) bool {
	switch attribute {
	case "src", "srcset", "imagesrcset", "poster", "data", "background", "lowsrc", "dynsrc", "archive":
		return true
	case "href", "xlink:href":
	default:
		return false
	}
	switch element {
	case "image", "feimage", "use", "script", "?xml-stylesheet": // of SVG and XML
		return true
	case "link":
		for kind := range strings.FieldsSeq(strings.ToLower(rel)) {
			switch kind {
			case "stylesheet", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon", "preload", "modulepreload", "manifest":
				return true
			}
		}
	}
	return false
}

// isSheet reports whether the target of an attribute is a style sheet.
func isSheet(element, attribute, rel string) bool {
	return element == "link" && attribute == "href" && slices.Contains(strings.Fields(strings.ToLower(rel)), "stylesheet")
}

// isCSS reports whether the value of an attribute is CSS. In SVG, properties of CSS are also attributes: SVG 2 section 6.6.
func isCSS(attribute string, isForeign bool) bool {
	switch attribute {
	case "style":
		return true
	case "fill", "stroke", "filter", "mask", "clip-path", "cursor", "marker", "marker-start", "marker-mid", "marker-end":
		return isForeign
	}
	return false
}

// candidates returns the references of a srcset: separated by commas, each with an optional descriptor. HTML Standard §4.8.4.2.1.
func candidates(value string) (refs []span) {
	for s := value; ; {
		s = strings.TrimLeft(s, white+",")
		if s == "" {
			return refs
		}
		end := strings.IndexAny(s, white)
		if end < 0 {
			end = len(s)
		}
		ref := strings.TrimRight(s[:end], ",")
		from := len(value) - len(s)
		refs = append(refs, span{from, from + len(ref)})
		if len(ref) < end { // a comma after it: no descriptor
			s = s[end:]
			continue
		}
		s = afterDescriptor(s[end:])
	}
}

// afterDescriptor returns the text after the first comma outside parentheses, which do not nest.
func afterDescriptor(s string) string {
	within := false
	for i := range len(s) {
		switch s[i] {
		case '(':
			within = true
		case ')':
			within = false
		case ',':
			if !within {
				return s[i+1:]
			}
		}
	}
	return ""
}
