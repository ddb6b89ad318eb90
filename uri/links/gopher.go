package links

import (
	"io"
	"iter"
	"net/netip"
	"strings"

	"example.org/deref/uri"
)

// Gopher yields the links of a gopher menu (RFC 1436 §3), up to the line with a single dot. Element is the item type. Text (i) and errors (3) are
// not links. Telnet (8) and tn3270 (T) items have URIs of those schemes. If the selector of a web item (h) begins with "URL:", the rest is the
// URI. If a URI is invalid, its Link comes with an error. A read error comes last, with a zero Link.
func Gopher(r io.Reader) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		for line, err := range lines(r) {
			if err != nil {
				yield(Link{}, err)
				return
			}
			if line == "." {
				return
			}
			l, ok, err := item(line)
			if ok && !yield(l, err) {
				return
			}
		}
	}
}

// item parses one line: type and title, selector, host, port, and fields of gopher+. It returns false if the line is not a link.
func item(line string) (Link, bool, error) {
	f := strings.Split(line, "\t")
	if len(f) < 4 || f[0] == "" || strings.IndexByte("i3\x00", line[0]) >= 0 { // RFC 1436 Appendix: TAB and NUL are not types
		return Link{}, false, nil
	}
	l := Link{Element: line[:1], Attribute: "selector", Title: title(f[0][1:]), Ref: f[1]}
	if web, ok := cutURL(f[1]); ok && (line[0] == 'h' || line[0] == 'w') {
		u, err := uri.Parse(web)
		l.URI, l.Ref = u.ASCII(), web
		return l, true, err
	}
	u, err := uri.Parse(itemURI(line[:1], f[1], strings.TrimSpace(f[2]), strings.TrimSpace(f[3])))
	if err == nil && u.Host() == "" {
		err = &uri.Error{Rule: "host of a menu item (RFC 1436 §3.8)"}
	}
	if err != nil {
		return l, true, err
	}
	l.URI = u.ASCII()
	return l, true, nil
}

func cutURL(selector string) (string, bool) {
	s := strings.TrimPrefix(selector, "/")
	if len(s) > 4 && strings.EqualFold(s[:4], "URL:") {
		return s[4:], true
	}
	return "", false
}

// itemURI returns the URI of an item (RFC 4266 §2.1), or of a telnet item (RFC 4248 §2).
func itemURI(kind, selector, host, port string) string {
	if in, ok := strings.CutPrefix(host, "["); ok { // written as in a URI
		host = strings.TrimSuffix(in, "]")
	}
	if a, err := netip.ParseAddr(host); err == nil && a.Is6() && a.Zone() == "" {
		host = "[" + host + "]"
	} else {
		host = string(uri.User.Escape(uri.RFC3986, host))
	}
	scheme := ""
	switch kind {
	case "8":
		scheme = "telnet://"
	case "T":
		scheme = "tn3270://"
	default:
		if port != "70" {
			host += ":" + port
		}
		return "gopher://" + host + "/" + string(uri.GopherSelector.Escape(uri.RFC3986, kind+selector))
	}
	if selector != "" {
		scheme += string(uri.User.Escape(uri.RFC3986, selector)) + "@"
	}
	if port != "" && port != "0" && port != "23" {
		host += ":" + port
	}
	return scheme + host + "/"
}
