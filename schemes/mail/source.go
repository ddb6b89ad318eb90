package mail

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A Source is a place that holds received messages, as the user's configuration names it.
type Source struct {
	// URI is imap://user@host[:port][/mailbox], imaps://..., nntp://host, nntps://host, maildir:DIR, mbox:FILE or mh:DIR. If it has no
	// password, fetch.Client.Logins is queried for one.
	URI string
	// Folders are the mailboxes to search, in this order. Without any, all are searched, and those for junk and trash last.
	Folders []string
}

// A source is a parsed Source: a server at addr, or a store on this machine, with the steps that search it.
type source struct {
	kind      string // imap, imaps, nntp, nntps, maildir, mbox, mh
	addr      string
	name      string // as configured, without a password
	mailboxes []string

	uri   uri.URI // of a server
	imap  imapURI // of an IMAP server
	path  string  // of a store
	steps []fetch.Step
}

// sources parses the configuration.
func (c Config) sources() (list []source, err error) {
	for _, text := range c.Sources {
		s, err := parseSource(text)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// Check reports why s is not a valid source.
func (s Source) Check() error {
	_, err := parseSource(s)
	return err
}

func parseSource(conf Source) (s source, err error) {
	kind, rest, _ := strings.Cut(conf.URI, ":")
	s = source{kind: kind, name: conf.URI, mailboxes: conf.Folders}
	switch kind {
	case "maildir", "mbox", "mh":
		if s.path = rest; rest != "" {
			return s, nil
		}
	case "imap", "imaps", "nntp", "nntps":
		if s.uri, err = uri.Parse(conf.URI); err == nil {
			s.addr, err = s.uri.HostPort(portOf(kind))
		}
		if err != nil {
			break
		}
		s.name = s.uri.WithoutPassword().String()
		if !s.isIMAP() {
			return s, nil
		}
		if s.imap, err = parseIMAP(s.uri); err != nil || s.imap.UID != nil || s.imap.Search != nil {
			break
		}
		if s.imap.Mailbox != nil {
			s.mailboxes = append([]string{string(*s.imap.Mailbox)}, s.mailboxes...)
		}
		return s, nil
	}
	const forms = "imap://HOST, imaps://HOST, nntp://HOST, maildir:DIR, mbox:FILE or mh:DIR"
	return source{}, fetch.Errorf(fetch.ErrLocal, "a mail source is %s", forms)
}

// isIMAP reports whether the source is an IMAP server.
func (s source) isIMAP() bool { return s.kind == "imap" || s.kind == "imaps" }

// tlsOf returns how the connections of a scheme begin.
func tlsOf(scheme string) fetch.TLSMode {
	if scheme == "imaps" {
		return fetch.ImplicitTLS
	}
	return fetch.NoTLS
}

func portOf(scheme string) int {
	switch scheme {
	case "imap":
		return 143
	case "imaps":
		return 993
	case "nntps":
		return 563
	}
	return 119
}

// login returns the identity that the sources have for an imap URI's host: fetch.Scheme.Login.
func (c Config) login(u uri.URI) fetch.Login {
	list, err := c.sources()
	if err != nil {
		return fetch.Login{} // planning reports it
	}
	user, _, _ := u.User()
	user = withoutAuth(user)
	addr, err := u.HostPort(portOf(u.Scheme()))
	for _, s := range list {
		name, password, _ := s.uri.User()
		name = withoutAuth(name)
		same := err == nil && s.kind == u.Scheme() && strings.EqualFold(s.addr, addr)
		if same && password != "" && (user == "" || user == name) {
			return fetch.Login{User: name, Password: password, Set: true}
		}
	}
	return fetch.Login{}
}

// planSources adds the steps for each source to p. Steps for servers other than the first have an address. If no source is configured, a placeholder
// step shows that it is missing.
func (c Config) planSources(p *fetch.Plan, o *fetch.Options, steps func(source, *fetch.Options) ([]fetch.Step, error)) (all []source, err error) {
	list, err := c.sources()
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		list = []source{{name: "<mail sources>"}}
	}
	for _, s := range list {
		if s.steps, err = steps(s, o); err != nil {
			return nil, err
		}
		if len(s.steps) == 0 {
			continue
		}
		if s.isIMAP() && p.Addr == "" {
			p.Network, p.Addr = "tcp", s.addr
		}
		for i := range s.steps {
			if s.isIMAP() && s.addr != p.Addr {
				s.steps[i].At = s.addr
			}
		}
		p.Steps = append(p.Steps, s.steps...)
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, fetch.Errorf(fetch.ErrUnsupported, "no mail source supports this request")
	}
	return all, nil
}

// noSource returns the error for a request without any source to search.
func noSource(hint string) error {
	return &fetch.Error{Kind: fetch.ErrNotFound, Text: "no mail source configured", Hint: hint}
}

// articleURI returns the URI of an article on a news server.
func (s source) articleURI(id string) string {
	scheme := "news"
	if s.kind == "nntps" {
		scheme = "snews"
	}
	return scheme + "://" + s.addr + "/" + escapeIn(id, idSafe)
}
