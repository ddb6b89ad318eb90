package links

import (
	"io"
	"iter"
	"net/netip"
	"strconv"
	"strings"

	"example.org/deref/uri"
)

// Gopher yields the links of a gopher menu (RFC 1436 §3). A line of one dot is not the end: programs that a server runs write their own. Element is
// the item type, and that of the item before it for a mirror (+). Text (i) and errors (3) are not links. Telnet (8) and tn3270 (T) items have URIs of those schemes. If the selector of a web item (h) begins with "URL:", the rest is the
// URI. If a URI is invalid, its Link comes with an error. A read error comes last, with a zero Link.
func Gopher(r io.Reader) iter.Seq2[Link, error] {
	last := byte('1')
	return byLine(r, func(line string) (Link, bool, error) {
		it, ok := ParseMenuItem(line)
		if !ok || it.Type == 'i' || it.Type == '3' {
			return Link{}, false, nil
		}
		if it.Type == '+' {
			it.Type = last
		}
		last = it.Type
		return item(it)
	})
}

// item returns the link of an item.
func item(it MenuItem) (Link, bool, error) {
	l := Link{Element: string([]byte{it.Type}), Attribute: "selector", Title: title(it.Name), Ref: it.Selector}
	u, ok := it.URI("gopher")
	if !ok {
		return l, true, &uri.Error{Rule: "host, port and selector of a menu item (RFC 1436 §3.8)"}
	}
	l.URI = u.ASCII()
	if _, _, web := it.Referral(); web && it.Type == 'h' {
		l.Ref = u.String()
	}
	return l, true, nil
}

const gopherPort = 70

// A MenuItem is one line of a gopher menu (RFC 1436 section 3.8), split into its raw fields.
type MenuItem struct {
	Type     byte
	Name     string
	Selector string
	Host     string
	Port     string
	Plus     string // the fifth field: "+" or "?" if the server supports Gopher+ for the item
}

// ParseMenuItem splits a line. It returns false if fields are missing, or the type: it is a character other than TAB and NUL (RFC 1436 Appendix).
func ParseMenuItem(line string) (it MenuItem, ok bool) {
	if line == "" || line[0] == '\t' || line[0] == 0 {
		return it, false
	}
	it.Type = line[0]
	it.Name, line, _ = strings.Cut(line[1:], "\t")
	if it.Selector, line, ok = strings.Cut(line, "\t"); !ok {
		return it, it.Type == 'i'
	}
	it.Host, line, ok = strings.Cut(line, "\t")
	it.Port, line, _ = strings.Cut(line, "\t")
	it.Plus, _, _ = strings.Cut(line, "\t")
	it.Host, it.Port = strings.TrimSpace(it.Host), strings.TrimSpace(it.Port)
	return it, ok || it.Type == 'i'
}

// URI returns the URI of exactly this item. It returns false if host or port are invalid. scheme is gopher or gophers.
func (it MenuItem) URI(scheme string) (u uri.URI, ok bool) {
	if u, _, ok = it.Referral(); ok {
		return u, true
	}
	b := make([]byte, 0, len("gophers://:65535/")+len(it.Host)+len(it.Selector)+16)
	b = append(append(b, scheme...), "://"...)
	b, ok = it.appendHost(b, gopherPort)
	if !ok {
		return uri.URI{}, false
	}
	b = uri.GopherSelector.AppendEscape(append(b, '/'), uri.RFC3986, string([]byte{it.Type}))
	u, err := uri.Parse(string(uri.GopherSelector.AppendEscape(b, uri.RFC3986, it.Selector)))
	return u, err == nil
}

// Referral returns the URI to which an item refers if it is not a document of this protocol, and the reason.
func (it MenuItem) Referral() (u uri.URI, reason string, ok bool) {
	switch it.Type {
	case '8':
		return session("telnet://", 23, it.Selector, it)
	case 'T':
		return session("tn3270://", 23, it.Selector, it)
	case '2':
		return session("cso://", 105, "", it)
	case 'h':
		return webLink(it)
	}
	return u, "", false
}

// session returns the URI of a terminal session or phone book. login, the selector, is the name to log in with (RFC 1436 section 3.8).
func session(prefix string, defaultPort int, login string, it MenuItem) (u uri.URI, reason string, ok bool) {
	b := []byte(prefix)
	if login != "" {
		b = append(uri.User.AppendEscape(b, uri.RFC3986, login), '@')
	}
	if it.Port == "" || it.Port == "0" {
		it.Port = strconv.Itoa(defaultPort)
	}
	if b, ok = it.appendHost(b, defaultPort); !ok {
		return u, "", false
	}
	u, err := uri.Parse(string(append(b, '/')))
	return u, "the item is a session of another protocol", err == nil
}

// webLink parses the two forms of selectors that refer to another protocol in an item of type h: "URL:" and a URI, and the older request
// line of HTTP.
func webLink(it MenuItem) (u uri.URI, reason string, ok bool) {
	if s := strings.TrimPrefix(it.Selector, "/"); len(s) > 4 && strings.EqualFold(s[:4], "URL:") {
		u, err := uri.Parse(strings.TrimSpace(s))
		return u, "the selector is a URI", err == nil && u.IsAbs()
	}
	path, is := strings.CutPrefix(it.Selector, "GET /")
	if !is {
		return u, "", false
	}
	b, ok := it.appendHost([]byte("http://"), 80)
	if !ok {
		return u, "", false
	}
	path, _, _ = strings.Cut(path, " ")
	u, err := uri.Parse(string(append(append(b, '/'), path...)))
	return u.WithoutFragment(), "the selector is a line of HTTP", err == nil
}

// appendHost appends host and port in the form of a URI, without the default port. It returns false if they are invalid.
func (it MenuItem) appendHost(b []byte, defaultPort int) ([]byte, bool) {
	n, err := strconv.ParseUint(it.Port, 10, 16)
	if err != nil || n == 0 {
		return b, false
	}
	switch {
	case isHostName(it.Host):
		b = append(b, it.Host...)
	case isIPv6(it.Host):
		b = append(append(append(b, '['), it.Host...), ']')
	case strings.HasPrefix(it.Host, "[") && strings.HasSuffix(it.Host, "]") && isIPv6(it.Host[1:len(it.Host)-1]): // in the form of a URI
		b = append(b, it.Host...)
	default:
		return b, false
	}
	if int(n) != defaultPort {
		b = strconv.AppendUint(append(b, ':'), n, 10)
	}
	return b, true
}

// isHostName reports whether host is a host name or an IPv4 address. They contain no character that has a meaning of its own in a URI.
func isHostName(host string) bool {
	for i := range len(host) {
		if c := host[i]; !isLetter(c) && !isDigit(c) && c < 0x80 && strings.IndexByte("-._", c) < 0 {
			return false
		}
	}
	return host != ""
}

func isIPv6(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.Is6() && a.Zone() == ""
}
