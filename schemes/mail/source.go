package mail

import (
	"net"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// source is a place where messages are: a server at addr, or a store on this machine.
type source struct {
	kind string // imap, imaps, nntp, nntps, maildir, mbox, mh
	addr string
	name string // as configured, without a password

	login   fetch.Login
	mailbox string // of an imap source; "" all of them
	path    string // of a store
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

func sourceOf(text string) (source, error) {
	kind, rest, _ := strings.Cut(text, ":")
	switch kind {
	case "maildir", "mbox", "mh":
		if rest != "" {
			return source{kind: kind, name: text, path: rest}, nil
		}
	case "imap", "imaps", "nntp", "nntps":
		u, err := uri.Parse(text)
		if err == nil && u.Host() != "" {
			s := source{kind: kind, addr: net.JoinHostPort(u.Hostname(), strconv.Itoa(u.PortNumber(portOf(kind)))), name: u.WithoutPassword().String()}
			if user, password, _ := u.User(); user != "" {
				s.login = fetch.Login{User: user, Password: password, Set: true}
			}
			s.mailbox = strings.TrimPrefix(u.Path().Decode(), "/")
			return s, nil
		}
	}
	return source{}, fetch.Errorf(fetch.ErrLocal, "a mail source is imap://HOST, imaps://HOST, nntp://HOST, maildir:DIR, mbox:FILE or mh:DIR")
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

func decimal(n int) string { return strconv.Itoa(n) }

// ask makes the steps of each source. Without any source a step says what is missing.
func (c Config) ask(p *fetch.Plan, steps func(source) ([]fetch.Step, error)) error {
	list, err := c.sources()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		list = []source{{name: "<mail sources>"}}
	}
	before := len(p.Steps)
	for _, s := range list {
		more, err := steps(s)
		if err != nil {
			return err
		}
		remote := s.kind == "imap" || s.kind == "imaps"
		if remote && p.Addr == "" && len(more) > 0 {
			p.Network, p.Addr = "tcp", s.addr
		}
		for i := range more {
			if remote && s.addr != p.Addr {
				more[i].At = s.addr
			}
		}
		p.Steps = append(p.Steps, more...)
	}
	if len(p.Steps) == before {
		return fetch.Errorf(fetch.ErrUnsupported, "none of the mail sources can be asked for that")
	}
	return nil
}
