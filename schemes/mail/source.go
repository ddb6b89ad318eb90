package mail

import (
	"net"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A Source is a place where messages are that were received already, as the user's configuration says.
type Source struct {
	// URI is imap://user@host[:port][/folder], imaps://..., nntp://host, nntps://host, maildir:DIR, mbox:FILE or mh:DIR. Where it names no
	// password, fetch.Client.Logins is asked for one.
	URI string
	// Folders are those to look into, in this order; none means all of them, those for junk and waste last.
	Folders []string
}

// source is a Source that was read: a server at addr, or a store on this machine.
type source struct {
	kind    string // imap, imaps, nntp, nntps, maildir, mbox, mh
	addr    string
	name    string // as configured, without a password
	folders []string

	uri  uri.URI // of a server
	box  box     // of an imap source
	path string  // of a store
}

// sources reads the configuration.
func (c Config) sources() (list []source, err error) {
	for _, text := range c.Sources {
		s, err := sourceOf(text)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// Check refuses what is no source.
func (s Source) Check() error {
	_, err := sourceOf(s)
	return err
}

func sourceOf(conf Source) (s source, err error) {
	kind, rest, _ := strings.Cut(conf.URI, ":")
	s = source{kind: kind, name: conf.URI, folders: conf.Folders}
	switch kind {
	case "maildir", "mbox", "mh":
		if s.path = rest; rest != "" {
			return s, nil
		}
	case "imap", "imaps", "nntp", "nntps":
		if s.uri, err = uri.Parse(conf.URI); err == nil && s.uri.Host() != "" {
			s.addr = net.JoinHostPort(s.uri.Hostname(), strconv.Itoa(s.uri.PortNumber(portOf(kind))))
			s.name = s.uri.WithoutPassword().String()
			return s, s.readBox()
		}
	}
	return source{}, errSource()
}

func errSource() error {
	return fetch.Errorf(fetch.ErrLocal, "a mail source is imap://HOST, imaps://HOST, nntp://HOST, maildir:DIR, mbox:FILE or mh:DIR")
}

// readBox reads what an imap URI says of folder and user.
func (s *source) readBox() (err error) {
	if !s.remote() {
		return nil
	}
	if s.box, err = s.handler().reading(s.uri); err != nil || s.box.UID != nil || s.box.Search != nil {
		return errSource()
	}
	if s.box.Mailbox != nil {
		s.folders = append([]string{string(*s.box.Mailbox)}, s.folders...)
	}
	return nil
}

// remote reports whether the source is asked by IMAP.
func (s source) remote() bool { return s.kind == "imap" || s.kind == "imaps" }

// handler is the one of the source's URIs.
func (s source) handler() imap {
	h := imap{name: s.kind, port: portOf(s.kind), tls: fetch.NoTLS}
	if s.kind == "imaps" {
		h.tls = fetch.ImplicitTLS
	}
	return h
}

func portOf(kind string) int {
	switch kind {
	case "imap":
		return 143
	case "imaps":
		return 993
	case "nntps":
		return 563
	}
	return 119
}

// login is what the sources know of the identity at an imap URI's host: fetch.Scheme.Login.
func (c Config) login(u uri.URI) fetch.Login {
	list, err := c.sources()
	if err != nil {
		return fetch.Login{} // the handler will say so
	}
	user, _, _ := u.User()
	user, _, _ = cutFold(user, ";AUTH=")
	addr, err := u.HostPort(portOf(u.Scheme()))
	for _, s := range list {
		name, password, _ := s.uri.User()
		name, _, _ = cutFold(name, ";AUTH=")
		if err == nil && s.kind == u.Scheme() && strings.EqualFold(s.addr, addr) && password != "" && (user == "" || user == name) {
			return fetch.Login{User: name, Password: password, Set: true}
		}
	}
	return fetch.Login{}
}

// An inquiry is what one source is asked.
type inquiry struct {
	source
	steps []fetch.Step
}

// inquiries makes the steps of each source, those to other servers than the first with their address. Without any source a step says
// what is missing.
func (c Config) inquiries(steps func(source) ([]fetch.Step, error)) (all []inquiry, err error) {
	list, err := c.sources()
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		list = []source{{name: "<mail sources>"}}
	}
	first := ""
	for _, s := range list {
		q := inquiry{source: s}
		if q.steps, err = steps(s); err != nil {
			return nil, err
		}
		if len(q.steps) == 0 {
			continue
		}
		if s.remote() && first == "" {
			first = s.addr
		}
		for i := range q.steps {
			if s.remote() && s.addr != first {
				q.steps[i].At = s.addr
			}
		}
		all = append(all, q)
	}
	if len(all) == 0 {
		return nil, fetch.Errorf(fetch.ErrUnsupported, "none of the mail sources can be asked for that")
	}
	return all, nil
}

// ask puts inquiries into a Plan.
func ask(p *fetch.Plan, list []inquiry) {
	for _, q := range list {
		if q.remote() && p.Addr == "" {
			p.Network, p.Addr = "tcp", q.addr
		}
		p.Steps = append(p.Steps, q.steps...)
	}
}

// noSource is the error of a request that has nowhere to look.
func noSource(hint string) error {
	return &fetch.Error{Kind: fetch.ErrNotFound, Text: "no mail source is known to look into", Hint: hint}
}
