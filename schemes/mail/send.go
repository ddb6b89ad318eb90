package mail

import (
	"mime"
	"net"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/uri"
)

const (
	ifTLS     = "STARTTLS is offered"
	ifOld     = "the server does not know EHLO" // RFC 5321 section 3.2
	ifMessage = "a message is given"
	ifNone    = "no message is given"
)

// mailto is the handler of mailto.
type mailto struct{ Config }

// Plan lists the messages to and from the addresses, or submits one to them.
func (h mailto) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := letterOf(u, o.Mode)
	if err != nil {
		return nil, err
	}
	if len(r.Addresses) == 0 {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "the URI names no address")
	}
	if o.Op == fetch.Send {
		return h.submission(r, o)
	}
	if err := onlyReads(o, "mailto"); err != nil {
		return nil, err
	}
	list, err := h.correspondence(r, o)
	p := &fetch.Plan{TLS: fetch.NoTLS, Shape: fetch.ShapeListing}
	if o.Get("mailto.view") == "mbox" {
		p.Shape, p.Type = fetch.ShapeDocument, maildoc.MailboxType
	}
	ask(p, list)
	return p, err
}

// correspondence is what the sources are asked for the messages to and from the addresses.
func (c Config) correspondence(r letter, o *fetch.Options) ([]inquiry, error) {
	return c.inquiries(func(s source) ([]fetch.Step, error) { return correspondence(s, r.Addresses, o) })
}

// correspondence looks for addresses in a source; a news server has no such search.
func correspondence(s source, addresses []fetch.Octets, o *fetch.Options) (list []fetch.Step, err error) {
	switch s.kind {
	case "imap", "imaps":
		list, err = s.opening(o, untilEach)
		for _, a := range addresses {
			list = append(list, searchFor(string(a)))
		}
		list = append(list, fetch.Step{Verb: "UID FETCH", Args: []string{"<uids>", headline}, If: ifHits, Repeat: untilEach})
		if o.Get("mailto.view") == "mbox" {
			list = append(list, bodyStep(ifHits, untilLast))
		}
	case "maildir", "mbox", "mh", "":
		for _, a := range addresses {
			list = append(list, fetch.Step{Verb: "look", Args: []string{s.name, "from", "or", "to"}, Data: string(a)})
		}
	}
	return list, err
}

const (
	untilEach = "until the last folder"
	untilLast = "until the last message"
)

// submission is RFC 6409 and RFC 5321 section 3.3.
func (h mailto) submission(r letter, o *fetch.Options) (*fetch.Plan, error) {
	recipients, err := r.recipients()
	if err != nil {
		return nil, err
	}
	wishes, err := reportsOf(o)
	if err != nil {
		return nil, err
	}
	p := &fetch.Plan{Network: "tcp", Shape: fetch.ShapeMessage, Type: "message/rfc822"}
	server, err := h.server(o)
	if err != nil {
		return nil, err
	}
	p.Addr, p.TLS = addrOf(server)
	p.Steps = append(p.Steps, fetch.Step{Verb: "EHLO", Args: []string{"<this host>"}}, fetch.Step{Verb: "HELO", Args: []string{"<this host>"}, If: ifOld})
	starttls, err := startTLS(p.TLS, "mailto.ssl", o)
	if err != nil {
		return nil, err
	}
	for _, s := range starttls {
		p.Steps = append(p.Steps, s, fetch.Step{Verb: "EHLO", Args: []string{"<this host>"}, If: s.If})
	}
	if err := checkLogin(o.Login); err != nil {
		return nil, err
	}
	if o.Login.Set {
		p.Steps = append(p.Steps, fetch.Step{Verb: "AUTH", Args: []string{o.Login.User, o.Login.Password}, Secret: true})
	} else {
		p.Steps = append(p.Steps, fetch.Step{Verb: "AUTH", Args: []string{"<user>", "<password>"}, Secret: true, If: ifLogin})
	}
	from := "sender"
	if who, err := senderOf(h.from(o)); err == nil {
		from = who.Address
	}
	p.Steps = append(p.Steps, wishes.mailStep(from))
	for _, a := range recipients {
		p.Steps = append(p.Steps, wishes.rcptStep(a))
	}
	p.Steps = append(append(p.Steps, fetch.Step{Verb: "DATA"}, fetch.Step{Data: "<message>", If: ifMessage}), r.message()...)
	p.Steps = append(p.Steps, fetch.Step{Verb: "QUIT"})
	return p, nil
}

// message is the message that a URI makes: its headers, each a step, and its body. The date and the rest are added by Run.
func (r letter) message() (list []fetch.Step) {
	to, body := []string{}, ""
	for _, a := range r.Addresses {
		to = append(to, string(a))
	}
	list = append(list, fetch.Step{Verb: "To:", Args: []string{strings.Join(to, ", ")}, If: ifNone})
	for _, h := range r.Headers {
		switch name := strings.ToLower(string(h[0])); name {
		case "body":
			body = string(h[1])
		case "cc", "subject", "keywords", "comments", "in-reply-to", "references": // what RFC 6068 section 4 calls safe
			value := mime.QEncoding.Encode("utf-8", string(h[1]))
			list = append(list, fetch.Step{Verb: fieldName(name), Args: []string{value}, If: ifNone})
		}
	}
	return append(list, fetch.Step{Data: body + "\r\n", If: ifNone})
}

func fieldName(name string) string {
	if name == "in-reply-to" {
		return "In-Reply-To:"
	}
	return strings.ToUpper(name[:1]) + name[1:] + ":"
}

// server reads Config.Submission, or the setting in its place, as a URI: smtp is a server with STARTTLS, smtps one within TLS.
func (h mailto) server(o *fetch.Options) (uri.URI, error) {
	text := h.Submission
	if s := o.Get("mailto.smtp"); s != "" {
		text = s
	}
	if text == "" {
		text = "localhost"
	}
	if !strings.HasPrefix(text, "smtps://") {
		text = "smtp://" + strings.TrimPrefix(text, "smtp://")
	}
	u, err := uri.Parse(text)
	if err != nil || u.Host() == "" {
		return u, fetch.Errorf(fetch.ErrLocal, "the configured submission server is none")
	}
	return u, nil
}

func addrOf(server uri.URI) (string, fetch.TLSMode) {
	port, tls := 587, fetch.ExplicitTLS
	if server.Scheme() == "smtps" {
		port, tls = 465, fetch.ImplicitTLS
	}
	return net.JoinHostPort(server.Hostname(), strconv.Itoa(server.PortNumber(port))), tls
}
