package news

import (
	"net"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// What the server answers before a step is said.
const (
	ifReader   = "CAPABILITIES answered MODE-READER, or is not known" // RFC 3977 section 5.3
	ifTLS      = "a password is to be sent, and STARTTLS is offered"  // RFC 4642
	ifNoOver   = "OVER is not known"                                  // RFC 2980 section 2.8
	ifNoXover  = "XOVER is not known"
	ifAccepted = "POST answered 340"
)

// untilLast ends an overview that is made of headers.
const untilLast = "until the last article"

// Plan lists the commands for a server, or the look into articles already received.
func (h handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := h.reading(u)
	if err != nil {
		return nil, err
	}
	if !o.Range.IsZero() {
		return nil, &fetch.Error{Kind: fetch.ErrRange, Text: "news has no ranges of octets", Hint: "nntp://HOST/GROUP/100-200 is a range of articles"}
	}
	if err := r.search(o.Search); err != nil {
		return nil, err
	}
	steps, err := r.steps(o.Op)
	if err != nil {
		return nil, err
	}
	p := &fetch.Plan{Shape: r.shape(o.Op), Steps: steps, TLS: fetch.NoTLS}
	if p.Shape == fetch.ShapeMessage {
		p.Type = "message/rfc822"
	}
	return p, h.place(p, r, u, o)
}

// search narrows the list of groups to a wildmat.
func (r *parts) search(words []string) error {
	switch {
	case len(words) == 0:
		return nil
	case r.What != whatAll || len(words) > 1 || !isWord(words[0]):
		return &fetch.Error{Kind: fetch.ErrUnsupported, Text: "news is searched for groups, by one wildmat", Hint: "--search 'comp.*' news:*"}
	}
	w := fetch.Octets(words[0])
	r.What, r.Group = whatWildmat, &w
	return nil
}

func (r *parts) shape(op fetch.Op) fetch.Shape {
	if r.What == whatArticle || r.What == whatNumber || op == fetch.Send {
		return fetch.ShapeMessage
	}
	return fetch.ShapeListing
}

// place says who is asked.
func (h handler) place(p *fetch.Plan, r parts, u uri.URI, o *fetch.Options) (err error) {
	if r.Host == nil && isStore(h.source) {
		if o.Op == fetch.Send {
			return fetch.Errorf(fetch.ErrUnsupported, "articles already received take no new ones")
		}
		p.Steps = []fetch.Step{{Verb: "look", Args: []string{h.source}, Data: r.wanted()}}
		return nil
	}
	p.Network, p.TLS = "tcp", h.tls
	if r.Host != nil {
		p.Addr, err = u.HostPort(h.port)
	} else {
		p.Addr, err = hostPort(h.source, h.port)
	}
	p.Steps = append(h.greeting(o), p.Steps...)
	return err
}

// isStore reports whether the configured source is on this machine.
func isStore(source string) bool {
	kind, _, ok := strings.Cut(source, ":")
	return ok && (kind == "spool" || kind == "mbox" || kind == "maildir")
}

// wanted is what is looked for in a store: what a URI says after the scheme.
func (r *parts) wanted() string {
	switch {
	case r.MessageID != nil:
		return "<" + string(*r.MessageID) + ">"
	case r.What == whatAll:
		return "*"
	case r.First == nil:
		return string(*r.Group)
	}
	return string(*r.Group) + " " + r.span()
}

func hostPort(source string, port int) (string, error) {
	u, err := uri.Parse("nntp://" + source)
	if err != nil || u.Host() == "" {
		return "", fetch.Errorf(fetch.ErrLocal, "the configured news host %q is none", source)
	}
	return net.JoinHostPort(u.Hostname(), strconv.Itoa(u.PortNumber(port))), nil
}

// greeting opens a session: RFC 3977 section 5, RFC 4642, RFC 4643 section 2.3.
func (h handler) greeting(o *fetch.Options) []fetch.Step {
	list := []fetch.Step{{Verb: "CAPABILITIES"}}
	if h.tls == fetch.NoTLS && o.Login.Set {
		list = append(list, fetch.Step{Verb: "STARTTLS", If: ifTLS})
	}
	list = append(list, fetch.Step{Verb: "MODE READER", If: ifReader})
	if o.Login.Set {
		list = append(list,
			fetch.Step{Verb: "AUTHINFO USER", Args: []string{o.Login.User}},
			fetch.Step{Verb: "AUTHINFO PASS", Args: []string{o.Login.Password}, Secret: true})
	}
	return list
}
