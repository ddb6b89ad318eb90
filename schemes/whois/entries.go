package whois

import (
	"io"
	"iter"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/uri"
)

// isServers reports whether a template of this kind is a referral.
//
// QUIRK: ROADS' wppd sends SERVER-TO-ASK, one template for each server. Those of KTH sent SERVERS-TO-ASK.
func isServers(kind string) bool { return kind == "SERVER-TO-ASK" || kind == "SERVERS-TO-ASK" }

// headline returns the first word of "# FULL USER ACM-1 PZ01", "# SERVER-TO-ASK ACM-1", "# END".
func headline(line string) (kind string, ok bool) {
	rest, ok := strings.CutPrefix(line, "#")
	if !ok {
		return "", false
	}
	kind, _, _ = strings.Cut(strings.TrimLeft(rest, " "), " ")
	return strings.ToUpper(strings.TrimSpace(kind)), true
}

// A lister parses the templates of a response into entries.
type lister struct {
	base  uri.URI
	query string
	most  int // bytes of a template, negative for no limit
}

func (l lister) entries(r io.Reader) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		for t, err := range l.templates(r) {
			if err != nil {
				yield(fetch.Entry{}, err)
				return
			}
			for _, e := range l.entry(t) {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// templates yields the templates of a response. Lines outside of any template form one without a kind.
func (l lister) templates(r io.Reader) iter.Seq2[*template, error] {
	return func(yield func(*template, error) bool) {
		lines := lineproto.NewScanner(r, 0) // the connection limits the length of lines
		t := &template{}
		for lines.Scan() {
			line := strings.TrimRight(lines.Text(), "\r")
			_, head := headline(line)
			if head && !t.empty() {
				if !yield(t.complete(), nil) {
					return
				}
				t = &template{}
			}
			if t.add(line); l.most >= 0 && t.size > l.most {
				yield(nil, fetch.Errorf(fetch.ErrLimit, "a template is longer than %d bytes", l.most))
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, err)
		} else if !t.empty() {
			yield(t.complete(), nil)
		}
	}
}

// A template is a record of RFC 1835: a headline, and lines of attributes.
type template struct {
	head   []string    // FULL USER ACM-1 PZ01
	fields [][2]string // in order
	value  []byte      // of the last field, as long as lines may continue it
	size   int
}

func (t *template) empty() bool { return len(t.head) == 0 && len(t.fields) == 0 }

// add parses a line. " name: value" is an attribute, "+" continues the value on the same line, "-" on a new one (RFC 1835 section 2.4.3).
func (t *template) add(line string) {
	t.size += len(line)
	if _, head := headline(line); head {
		t.head = strings.Fields(line[1:])
		if len(t.head) == 1 && strings.EqualFold(t.head[0], "END") {
			t.head = nil
		}
		return
	}
	if strings.TrimSpace(line) == "" {
		return
	}
	continues := len(t.fields) > 0
	switch {
	case line[0] == '+' && continues:
		t.value = append(t.value, line[1:]...)
	case line[0] == '-' && continues:
		t.value = append(append(t.value, '\n'), line[1:]...)
	default:
		name, value, ok := strings.Cut(strings.TrimLeft(line, " +-"), ":")
		if !ok {
			name, value = "", name
		}
		t.complete()
		t.fields = append(t.fields, [2]string{strings.TrimSpace(name)})
		t.value = append(t.value[:0], value...)
	}
}

// complete trims the value of the last field. Until no line continues it, its trailing blanks may be blanks between words.
func (t *template) complete() *template {
	if n := len(t.fields); n > 0 {
		t.fields[n-1][1] = strings.TrimSpace(string(t.value))
	}
	return t
}

func (t *template) kind() string {
	if len(t.head) == 0 {
		return ""
	}
	return strings.ToUpper(t.head[0])
}

// entry returns a template's entries: a record with a URI of its handle (RFC 1835 section 2.2.2.1), a server that is polled or polls
// (sections 2.2.1.6 and 2.2.1.7), or the servers to ask.
func (l lister) entry(t *template) (list []fetch.Entry) {
	if isServers(t.kind()) {
		for _, r := range l.refer(t) {
			list = append(list, fetch.Entry{URI: r.URI, Title: r.Reason, Kind: fetch.KindSearch, Size: -1})
		}
		return list
	}
	e := fetch.Entry{Kind: fetch.KindText, Size: -1, Title: strings.Join(t.head, " "), Attr: map[string][]string{}}
	name, texts := "", []string{}
	for _, f := range t.fields {
		if f[0] == "" {
			texts = append(texts, f[1])
		} else {
			e.Attr[f[0]] = append(e.Attr[f[0]], f[1])
		}
		if strings.EqualFold(f[0], "name") && name == "" {
			name = f[1]
		}
	}
	if e.Title == "" || name != "" || len(texts) > 0 {
		e.Title = strings.TrimLeft(e.Title+": "+strings.Join(append(texts, name), " "), ": ")
	}
	if polled := t.polled(); len(polled) > 0 {
		e.Kind, e.URI = fetch.KindSearch, polled[0]
	} else if len(t.head) == 4 { // FULL, ABRIDGED or HANDLE; template; the server's handle; its own handle
		where, _ := l.base.WithoutUserinfo().Authority()
		if u, ok := queryURI(l.base.Scheme(), string(where), "handle="+t.head[3]); ok {
			e.Kind, e.URI = fetch.KindEntry, u
		}
	}
	return []fetch.Entry{e}
}

// polled returns the servers in a response to POLLED-BY or POLLED-FOR. Their URIs ask them to describe themselves.
func (t *template) polled() []uri.URI {
	if len(t.head) < 2 || !strings.HasPrefix(strings.ToUpper(t.head[1]), "POLLED-") {
		return nil
	}
	list := []uri.URI{}
	for where := range t.hosts() {
		if u, ok := queryURI("whois++", where, ""); ok {
			list = append(list, u)
		}
	}
	return list
}

// servers returns the referrals of a response that consists only of servers to ask.
func (l lister) servers(r io.Reader) (list []fetch.Referral) {
	for t, err := range l.templates(r) {
		if err != nil {
			return list
		}
		if isServers(t.kind()) {
			list = append(list, l.refer(t)...)
		}
	}
	return list[:min(len(list), maxReferrals)]
}

// refer returns the query at each server of a template.
func (l lister) refer(t *template) (list []fetch.Referral) {
	for where, host := range t.hosts() {
		if u, ok := queryURI("whois++", where, l.query); ok && !contains(list, u) {
			list = append(list, fetch.Referral{URI: u, Reason: "server-to-ask " + host})
		}
	}
	return list
}

// hosts yields the authority and the host name of each server in a template.
//
// QUIRK: the servers at KTH sent the attribute Next-Servers, whose lines hold a handle, a host and a port. Their client (the whois++ module of the
// Spinner and Roxen web servers, 1995) reads it so.
func (t *template) hosts() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		name, host, port := "", "", ""
		for _, f := range append(slices.Clip(t.fields), [2]string{"server-handle"}) { // which ends the last server
			if f[0] != "" || name != "next-servers" {
				name = attribute(f[0])
			}
			switch words := strings.Fields(f[1]); {
			case name == "next-servers":
				if len(words) >= 3 && !yield(authority(words[1])+":"+words[2], words[1]) {
					return
				}
			case name == "host-port" && port == "" && f[1] != "":
				port = ":" + f[1]
			case name == "host-name", name == "server-handle":
				if host != "" && !yield(authority(host)+port, host) {
					return
				}
				if host, port = "", ""; name == "host-name" {
					host = f[1]
				}
			}
		}
	}
}

// authority returns a host as it is written in a URI.
func authority(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// attribute returns the name of an attribute in lower case, without the prefix "Cached-", which a server adds to attributes that it has copied from
// another server.
func attribute(name string) string { return strings.TrimPrefix(strings.ToLower(name), "cached-") }
