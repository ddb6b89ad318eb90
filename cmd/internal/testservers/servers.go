// Package testservers runs servers of every protocol on this machine, for `deref serve`, `deref demo` and tests, and lists documents that they serve.
package testservers

import (
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/schemes/cso/csotest"
	"example.org/deref/schemes/dict/dicttest"
	"example.org/deref/schemes/finger/fingertest"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gemini/geminitest"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/schemes/ldap/ldaptest"
	"example.org/deref/schemes/mail/mailtest"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/schemes/nex/nextest"
	"example.org/deref/schemes/prospero/prosperotest"
	"example.org/deref/schemes/rlogin/rlogintest"
	"example.org/deref/schemes/snmp/snmptest"
	"example.org/deref/schemes/spartan/spartantest"
	"example.org/deref/schemes/telnet/telnettest"
	"example.org/deref/schemes/tn3270/tn3270test"
	"example.org/deref/schemes/wais/waistest"
	"example.org/deref/schemes/whois/whoistest"
)

// A Server is a server of one protocol on loopback, for a directory.
type Server struct {
	Scheme string
	Port   int // its well-known port, to which --port-base is added
	Start  func(fsys fs.FS, addr string) (Service, error)
	tries  []try // documents that the demo and tests get
}

// Samples returns the paths of documents to begin with: the root, if it is a document, and those of the tries.
func (l Server) Samples() (list []string) {
	switch l.Scheme {
	case "whois", "snmp", "wais", "prospero": // their URIs must name an object
	case "smtp": // it accepts messages, and has no documents
	case "telnet", "rlogin", "tn3270": // the root is among the tries
	default:
		list = append(list, "/")
	}
	for _, t := range l.tries {
		list = append(list, t.path)
	}
	return list
}

// A try is a document of the sample site: a path below the server's URL, and the file with its contents.
type try struct {
	path, file string
	crlf       bool                // the protocol ends the lines of a text with CRLF
	as         func([]byte) []byte // how the protocol changes the file; nil if it does not
	search     bool                // the path is a search, and its first result is the document
}

// Servers returns the table of servers. A new scheme adds its row here. ../../../schemes/README.md explains the fields.
func Servers() []Server {
	return []Server{
		{"http", 80, startHTTP, []try{{path: "/history/00-names.txt", file: "history/00-names.txt"}, {path: "/names/with%20blank.txt", file: "names/with blank.txt"}}},
		{"ftp", 21, of(ftptest.Listen, ftptest.Options{}), []try{{path: "/names/a%20folder/b%20folder/c%20d.txt", file: "names/a folder/b folder/c d.txt"}, {path: "/history/ftp.txt;type=a", file: "history/ftp.txt"}}},
		{"gopher", 70, of(gophertest.Listen, gophertest.Options{Plus: true}), []try{{path: "/9/images/bytes.bin", file: "images/bytes.bin"}, {path: "/0/history/gopher.txt", file: "history/gopher.txt", crlf: true}}},
		{"news", 119, under("news://", of(newstest.Listen, newstest.Options{Posting: true})), []try{{path: "/first.1@site.example", file: "news/comp.infosystems.www/1"}, {path: "/lab.dots/1", file: "news/lab.dots/1"}}},
		{"gemini", 1965, of(geminitest.Listen, geminitest.Options{}), []try{{path: "/images/bytes.bin", file: "images/bytes.bin"}, {path: "/history/gopher.txt", file: "history/gopher.txt"}}},
		{"dict", 2628, of(dicttest.Listen, dicttest.Options{}), []try{{path: "/d:ftp:history:1", file: "history/ftp.txt", crlf: true}}},
		{"cso", 105, of(csotest.Listen, csotest.Options{}), []try{{path: "/alias=history%2Fgopher.txt%20return%20text", file: "history/gopher.txt", as: inFields}}},
		{"spartan", 300, of(spartantest.Listen, spartantest.Options{}), []try{{path: "/images/bytes.bin", file: "images/bytes.bin"}}},
		{"nex", 1900, of(nextest.Listen, nextest.Options{}), []try{{path: "/images/bytes.bin", file: "images/bytes.bin"}}},
		{"imap", 143, under("imap://"+url.UserPassword(mailtest.User, mailtest.Password).String()+"@", of(mailtest.ListenIMAP, mailtest.Options{})), []try{{path: "/INBOX/;UID=2", file: "mail/plain.eml"}}},
		{"smtp", 25, of(func(_ fs.FS, o *mailtest.Options) (*mailtest.Outbox, error) { return mailtest.ListenSMTP(o) }, mailtest.Options{}), nil},
		{"finger", 79, of(fingertest.Listen, fingertest.Options{}), []try{{path: "/history/00-names.txt", file: "history/00-names.txt", crlf: true}}},
		{"whois", 43, of(whoistest.Listen, whoistest.Options{}), []try{{path: "/history/00-names.txt", file: "history/00-names.txt", crlf: true}}},
		{"ldap", 389, of(ldaptest.Listen, ldaptest.Options{}), []try{{path: "/cn=bytes.bin,ou=images,o=site?data???x-value", file: "images/bytes.bin"}}},
		{"snmp", 161, of(snmptest.Listen, snmptest.Options{}), []try{{path: "//" + snmptest.OID("images/bytes.bin"), file: "images/bytes.bin"}}},
		{"wais", 210, of(waistest.Listen, waistest.Options{}), []try{{path: "/site?wide+area+servers", file: "history/wais.txt", search: true}, {path: "/site/BIN/images%2Fbytes.bin", file: "images/bytes.bin"}}},
		{"telnet", 23, of(telnettest.Listen, telnettest.Options{Screen: telnetScreen}), []try{{path: "/", file: telnetScreen, as: withPrompt, crlf: true}}},
		{"rlogin", 513, of(rlogintest.Listen, rlogintest.Options{Screen: telnetScreen}), []try{{path: "/", file: telnetScreen, as: withPrompt, crlf: true}}},
		{"tn3270", 3270, of(tn3270test.Listen, tn3270test.Options{Screen: telnetScreen}), []try{{path: "/", file: telnetScreen, as: tn3270test.FirstScreen}}},
		{"prospero", 1525, of(prosperotest.Listen, prosperotest.Options{}), []try{{path: "/AFTP/names/with%20blank.txt", file: "names/with blank.txt"}, {path: "/AFTP/images/bytes.bin", file: "images/bytes.bin"}}},
	}
}

// telnetScreen is the file that is the first screen of sessions.
const telnetScreen = "history/telnet.txt"

// withPrompt appends the host's prompt to a text.
func withPrompt(text []byte) []byte { return append(text, telnettest.Prompt...) }

// inFields formats a text as the value of a field of a phone book.
func inFields(text []byte) (shown []byte) {
	name := "text"
	for line := range strings.Lines(string(text)) {
		shown = fmt.Appendf(shown, "%12s: %s\r\n", name, strings.TrimSuffix(line, "\n"))
		name = ""
	}
	return shown
}

// A Running server has a URL, and can be stopped.
type Running struct {
	Server
	Service
}

// Start starts the servers of the schemes in only, or of all if it is empty, on loopback. If portBase is 0, they listen on free ports.
func Start(fsys fs.FS, portBase int, only []string) ([]Running, error) {
	return StartAt(fsys, netip.MustParseAddr("127.0.0.1"), portBase, only)
}

// StartAt is Start for another address, which is in the menus that the servers make.
func StartAt(fsys fs.FS, at netip.Addr, portBase int, only []string) (list []Running, err error) {
	for _, l := range Servers() {
		if len(only) > 0 && !slices.Contains(only, l.Scheme) {
			continue
		}
		port := 0
		if portBase > 0 {
			port = portBase + l.Port
		}
		service, err := l.Start(fsys, net.JoinHostPort(at.String(), strconv.Itoa(port)))
		if err != nil {
			Stop(list)
			return nil, fmt.Errorf("%s server: %w", l.Scheme, err)
		}
		list = append(list, Running{l, service})
	}
	return list, nil
}

func Stop(list []Running) {
	for _, r := range list {
		r.Stop()
	}
}

func URLOf(list []Running, scheme string) string {
	for _, r := range list {
		if r.Scheme == scheme {
			return r.URL
		}
	}
	return ""
}
