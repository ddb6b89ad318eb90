package prospero

import (
	"net"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A teller makes URIs of what one server says.
type teller struct {
	host string // the server's, as we know it
	port int
	self uri.URI // the object asked for, of this server itself; zero where that cannot be written
}

// address reads HOST or HOST(port). QUIRK: dirsrv on a machine that takes itself for LOCALHOST says so to everybody; from its mouth
// that is its own host.
func (t teller) address(hostType, host string, port int) (string, bool) {
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
		name = t.host
	}
	if name == "" || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-._:") != "" {
		return "", false
	}
	name = strings.ToLower(name)
	if asked != port || port == 0 {
		return net.JoinHostPort(name, strconv.Itoa(asked)), true
	}
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	return name, true
}

// prospero is the URI of an object at a Prospero server; components that are still to be resolved follow its name.
func (t teller) prospero(p place, rest ...string) (uri.URI, bool) {
	addr, ok := t.address(p.hostType, p.host, port)
	if !ok || p.hsoname == "" {
		return uri.URI{}, false
	}
	s := "prospero://" + addr + "/" + escape(strings.Join(append([]string{p.hsoname}, rest...), "/"), "")
	if p.version != "" && strings.Trim(p.version, "0123456789") == "" {
		s += "%00" + p.version
	}
	return parsed(s)
}

func parsed(s string) (uri.URI, bool) {
	u, err := uri.Parse(s)
	return u, err == nil
}

// escape keeps letters, digits, -_./ and what is in also.
func escape(s, also string) string { return uri.EscapeBut(s, "-_./"+also) }

// An access is one method of reaching an object.
type access struct {
	method string
	to     uri.URI
	order  int // 0 retrieves, 1 is a session, 2 is this machine's
}

// contents is the method whose object the server hands over itself; it has no URI.
const contents = "PROSPERO-CONTENTS"

// method reads the value of ACCESS-METHOD: method host-type host hsoname-type hsoname [extra]. Void words stand for those of the
// object itself.
func (t teller) method(values []string, own place) (access, bool) {
	if len(values) == 0 {
		return access{}, false
	}
	words := append(append([]string(nil), values...), "", "", "", "", "")
	at, extra := place{hostType: words[1], host: words[2], hsoType: words[3], hsoname: words[4]}, words[5]
	self := at == place{}
	for _, w := range [...]struct{ to, from *string }{{&at.hostType, &own.hostType}, {&at.host, &own.host}, {&at.hsoType, &own.hsoType}, {&at.hsoname, &own.hsoname}} {
		if *w.to == "" {
			*w.to = *w.from
		}
	}
	a := access{method: strings.ToUpper(words[0])}
	switch a.method {
	case contents:
		if self {
			return a, true
		}
		u, ok := t.prospero(at)
		a.to = u
		return a, ok
	case "TELNET", "TN3270", "RLOGIN":
		a.order = 1
	case "LOCAL":
		a.order = 2
	}
	text := t.spell(a.method, at, extra)
	if text == "" {
		return a, false
	}
	u, ok := parsed(text)
	a.to = u
	return a, ok
}

// spell writes the URI of a method, "" where there is none: RCP and NFS, which nobody speaks here.
func (t teller) spell(method string, at place, extra string) string {
	name := at.hsoname
	switch method {
	case "AFS": // the host does not matter: hsoname is /cell/path
		return "afs://" + escape(strings.TrimPrefix(strings.TrimPrefix(name, "/afs"), "/"), "")
	case "LOCAL":
		if !t.here() || !strings.HasPrefix(name, "/") {
			return ""
		}
		return "file://" + escape(name, "")
	}
	addr, ok := t.address(at.hostType, at.host, methodPort(method))
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
func (t teller) here() bool {
	ip := net.ParseIP(t.host)
	return strings.EqualFold(t.host, "localhost") || ip != nil && ip.IsLoopback()
}

// methodPort is the port that needs not be written. The address in a method that has none there is not a Prospero server's.
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

// Transfer modes, the last word of a method. Servers have been seen to write TEXT and ASCII alike.
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

// itemType returns the gopher item type of an object: its method says TEXT, BINARY or the type itself. Else the selector begins with it,
// as most do. "" is that of the server's own menu.
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

// referrals are the methods in the server's order of preference; sessions come behind what retrieves, and files of this machine last,
// since those are only reached where the user allows it. direct reports whether the server itself hands the object over, which is asked for
// behind the others that retrieve.
func (t teller) referrals(attributes []attribute, own place) (list []fetch.Referral, direct bool) {
	var later [3][]fetch.Referral
	for _, v := range attributes {
		if v.name != "ACCESS-METHOD" {
			continue
		}
		a, ok := t.method(v.values, own)
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
	if direct && !t.self.IsZero() { // where those that the server prefers fail
		later[0] = append(later[0], fetch.Referral{URI: t.self, Reason: "access method " + contents})
	}
	return slices.Concat(later[0], later[1], later[2]), direct
}

// methodsOf names the methods of an object.
func methodsOf(attributes []attribute) string {
	var names []string
	for _, v := range attributes {
		if v.name == "ACCESS-METHOD" && len(v.values) > 0 {
			names = append(names, v.values[0])
		}
	}
	return strings.Join(names, ", ")
}
