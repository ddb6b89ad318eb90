package prospero

import (
	"cmp"
	"net"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/uri"
)

// A server converts the places that it names to URIs.
type server struct {
	host string
	port int
	self uri.URI // requests the object from this server itself; zero if that cannot be written
}

// address parses HOST or HOST(port).
//
// QUIRK: dirsrv calls its own machine LOCALHOST if that is how it is configured, so the name means the server's host.
func (s server) address(hostType, host string, port int) (string, bool) {
	if !strings.EqualFold(hostType, "INTERNET-D") {
		return "", false
	}
	name, in, found := strings.Cut(host, "(")
	asked := port
	if found {
		n, err := strconv.ParseUint(strings.TrimSuffix(in, ")"), 10, 16)
		if err != nil || !strings.HasSuffix(in, ")") || n == 0 {
			return "", false
		}
		asked = int(n)
	}
	if strings.EqualFold(name, "localhost") {
		name = s.host
	}
	if name == "" || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-._:") != "" {
		return "", false
	}
	return urifield.Authority(strings.ToLower(name), asked, cmp.Or(port, -1)), true
}

// prospero returns the URI of an object on a Prospero server. The components that are still to be resolved follow its name.
func (s server) prospero(p place, rest ...string) (uri.URI, bool) {
	addr, ok := s.address(p.hostType, p.host, port)
	if !ok || p.hsoname == "" {
		return uri.URI{}, false
	}
	text := "prospero://" + addr + "/" + escape(strings.Join(append([]string{p.hsoname}, rest...), "/"), "")
	if p.version != "" && strings.Trim(p.version, "0123456789") == "" {
		text += "%00" + p.version
	}
	return parsed(text)
}

func parsed(s string) (uri.URI, bool) {
	u, err := uri.Parse(s)
	return u, err == nil
}

// escape escapes all characters but letters, digits, -_./ and those in also.
func escape(s, also string) string { return uri.EscapeBut(s, "-_./"+also) }

// An access is an access method of an object.
type access struct {
	method string
	to     uri.URI
	order  int // 0 retrieves, 1 is a session, 2 is a local file
}

// contents is the method by which the server itself sends the object. It has no URI.
const contents = "PROSPERO-CONTENTS"

// method parses the value of ACCESS-METHOD: method host-type host hsoname-type hsoname [extra]. Empty words stand for those of the object
// itself.
func (s server) method(values []string, own place) (access, bool) {
	if len(values) == 0 {
		return access{}, false
	}
	words := append(append([]string(nil), values...), "", "", "", "", "")
	at, extra := own, words[5]
	a := access{method: strings.ToUpper(words[0])}
	if a.method == contents && own.host == s.host { // another method has a port of its own
		at.host = s.host + "(" + strconv.Itoa(s.port) + ")"
	}
	at = place{cmp.Or(words[1], at.hostType), cmp.Or(words[2], at.host), cmp.Or(words[3], at.hsoType), cmp.Or(words[4], at.hsoname), ""}
	switch a.method {
	case contents:
		addr, ok := s.address(at.hostType, at.host, port)
		if at.hsoname != own.hsoname || addr != urifield.Authority(s.host, s.port, port) {
			a.to, ok = s.prospero(at)
		}
		return a, ok
	case "TELNET", "TN3270", "RLOGIN":
		a.order = 1
	case "LOCAL":
		a.order = 2
	}
	text := s.write(a.method, at, extra)
	if text == "" {
		return a, false
	}
	var ok bool
	a.to, ok = parsed(text)
	return a, ok
}

// write returns the URI of a method, "" if there is none: RCP and NFS are not supported.
func (s server) write(method string, at place, extra string) string {
	name := at.hsoname
	switch method {
	case "AFS": // the host does not matter: hsoname is /cell/path
		return "afs://" + escape(strings.TrimPrefix(strings.TrimPrefix(name, "/afs"), "/"), "")
	case "LOCAL":
		if !s.here() || !strings.HasPrefix(name, "/") {
			return ""
		}
		return "file://" + escape(name, "")
	}
	addr, ok := s.address(at.hostType, at.host, methodPort(method))
	if !ok {
		return ""
	}
	switch method {
	case "AFTP":
		return "ftp://" + addr + "/" + escape(strings.TrimPrefix(name, "/"), "") + ftpType(extra)
	case "FTP": // from the root of the host: RFC 1738 section 3.2.2
		return "ftp://" + addr + "/%2F" + escape(strings.TrimPrefix(name, "/"), "") + ftpType(extra)
	case "GOPHER":
		item := itemType(extra, name)
		if item == "" {
			return "gopher://" + addr
		}
		return "gopher://" + addr + "/" + escape(item, "+") + escape(name, "")
	case "WAIS":
		if extra == "" {
			extra = strings.TrimPrefix(name, "WAIS/OBJECT/")
		}
		return "wais://" + addr + "/" + escape(extra, "")
	case "HTTP":
		return "http://" + addr + "/" + escape(strings.TrimPrefix(name, "/"), "?=&+~,:@!$'()*;")
	case "TELNET", "TN3270", "RLOGIN":
		return strings.ToLower(method) + "://" + addr
	}
	return ""
}

// here reports whether the server is on this machine.
func (s server) here() bool {
	ip := net.ParseIP(s.host)
	return strings.EqualFold(s.host, "localhost") || ip != nil && ip.IsLoopback()
}

// isText and isBinary interpret the transfer mode, the last word of a method. Servers write both TEXT and ASCII.
func isText(mode string) bool {
	return strings.EqualFold(mode, "TEXT") || strings.EqualFold(mode, "ASCII")
}

func isBinary(mode string) bool {
	return strings.EqualFold(mode, "BINARY") || strings.EqualFold(mode, "IMAGE")
}

func ftpType(mode string) string {
	switch {
	case isBinary(mode):
		return ";type=i"
	case isText(mode):
		return ";type=a"
	}
	return ""
}

// itemType returns the gopher item type of an object, "" for the server's main menu. The method contains TEXT, BINARY or the type itself;
// otherwise it is the first character of the selector, as in most selectors.
func itemType(extra, selector string) string {
	switch {
	case isText(extra):
		return "0"
	case isBinary(extra):
		return "9"
	case len(extra) == 1:
		return extra
	case selector != "":
		return selector[:1]
	}
	return ""
}

// referrals returns the methods in the server's order of preference, but sessions after methods that retrieve, and local files last because
// they need the user's permission. direct reports whether the server itself sends the object, which comes after the other methods that
// retrieve.
func (s server) referrals(attributes []attribute, own place) (list []fetch.Referral, direct bool) {
	var later [3][]fetch.Referral
	for _, v := range attributes {
		if v.name != "ACCESS-METHOD" {
			continue
		}
		a, ok := s.method(v.values, own)
		switch {
		case !ok:
		case a.to.IsZero():
			direct = true
		default:
			later[a.order] = append(later[a.order], fetch.Referral{URI: a.to, Reason: "access method " + a.method})
		}
	}
	if direct && len(later[0]) == 0 {
		return nil, true
	}
	if direct && !s.self.IsZero() { // if those that the server prefers fail
		later[0] = append(later[0], fetch.Referral{URI: s.self, Reason: "access method " + contents})
	}
	return slices.Concat(later[0], later[1], later[2]), direct
}

// methodsOf returns the names of an object's methods.
func methodsOf(attributes []attribute) string {
	var names []string
	for _, v := range attributes {
		if v.name == "ACCESS-METHOD" && len(v.values) > 0 {
			names = append(names, v.values[0])
		}
	}
	return strings.Join(names, ", ")
}

// methodPort returns the default port of a method.
func methodPort(method string) int {
	switch method {
	case "AFTP", "FTP":
		return 21
	case "GOPHER":
		return 70
	case "WAIS":
		return 210
	case "HTTP":
		return 80
	case "RLOGIN":
		return 513
	}
	return 23
}
