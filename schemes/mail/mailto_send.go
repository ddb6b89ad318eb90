package mail

import (
	"cmp"
	"context"
	"io"
	"mime"
	netmail "net/mail"
	"net/textproto"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/uri"
)

const (
	ifTLS     = "STARTTLS is offered"
	ifOld     = "the server does not know EHLO" // RFC 5321 section 3.2
	ifMessage = "a message is given"
	ifNone    = "no message is given"
)

// planMailto lists the messages to and from the addresses, or submits one to them.
func (c Config) planMailto(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := parseMailto(u, o.Mode)
	if err != nil {
		return nil, err
	}
	if len(r.Addresses) == 0 {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "the URI contains no address")
	}
	if o.Op == fetch.Send {
		return c.planSubmission(r, o)
	}
	return c.planListing(r, o)
}

// A submission is a request to send a message (RFC 6409).
type submission struct {
	mailtoURI
	recipients []string
	server     uri.URI
	port       int
	from       string // the user's address, or ""
	dryRun     bool
}

// planSubmission follows RFC 5321 section 3.3.
func (c Config) planSubmission(u mailtoURI, o *fetch.Options) (_ *fetch.Plan, err error) {
	r := &submission{mailtoURI: u, from: cmp.Or(o.Get("mailto.from"), c.From), dryRun: o.Get("mailto.dry-run") == "yes"}
	if r.recipients, err = u.recipients(o.Set["mailto.bcc"]); err != nil {
		return nil, err
	}
	if r.server, err = parseServer(cmp.Or(o.Get("mailto.smtp"), c.Submission)); err != nil {
		return nil, err
	}
	p := &fetch.Plan{Network: "tcp", Shape: fetch.ShapeMessage, Type: "message/rfc822", Send: r.send}
	r.port, p.TLS = submissionPort(r.server)
	if p.Addr, err = r.server.HostPort(r.port); err != nil {
		return nil, err
	}
	hello := []string{"<this host>"}
	p.Steps = []fetch.Step{{Verb: "EHLO", Args: hello}, {Verb: "HELO", Args: hello, If: ifOld}}
	for _, s := range startTLS(p.TLS, "mailto.ssl", o) {
		p.Steps = append(p.Steps, s, fetch.Step{Verb: "EHLO", Args: hello, If: s.If})
	}
	if err := checkLogin(o.Login); err != nil {
		return nil, err
	}
	auth := fetch.Step{Verb: "AUTH", Args: []string{"<user>", "<password>"}, Secret: true, If: ifLogin}
	if o.Login.Set {
		auth.Args, auth.If = []string{o.Login.User, o.Login.Password}, ""
	}
	from := senderPlaceholder
	if who, err := parseSender(r.from); err == nil {
		from = who.Address
	}
	p.Steps = append(p.Steps, auth, mailStep(from))
	for _, a := range r.recipients {
		p.Steps = append(p.Steps, rcptStep(a))
	}
	p.Steps = append(p.Steps, fetch.Step{Verb: "DATA"}, fetch.Step{Data: "<message>", If: ifMessage})
	p.Steps = append(append(p.Steps, u.messageSteps()...), fetch.Step{Verb: "QUIT"})
	return p, nil
}

// mailStep returns the MAIL command without SIZE, BODY and SMTPUTF8, which depend on the server.
func mailStep(from string) fetch.Step {
	return fetch.Step{Verb: "MAIL", Args: []string{"FROM:<" + from + ">"}}
}

// rcptStep returns the RCPT command for one recipient.
func rcptStep(to string) fetch.Step {
	return fetch.Step{Verb: "RCPT", Args: []string{"TO:<" + to + ">"}}
}

// messageSteps returns the message of the URI alone: each header field is a step, and so is the body. compose adds the other fields.
func (r mailtoURI) messageSteps() (list []fetch.Step) {
	to, body := []string{}, ""
	for _, a := range r.Addresses {
		to = append(to, string(a))
	}
	list = append(list, fetch.Step{Verb: "To:", Args: []string{strings.Join(to, ", ")}, If: ifNone})
	for _, h := range r.Headers {
		switch name := strings.ToLower(string(h[0])); name {
		case "body":
			body = string(h[1])
		case "cc", "subject", "keywords", "comments", "in-reply-to", "references": // the safe fields of RFC 6068 section 4
			value := string(h[1])
			if name != "cc" { // complete encodes the names in it, and not the addresses
				value = mime.QEncoding.Encode("utf-8", value)
			}
			list = append(list, fetch.Step{Verb: textproto.CanonicalMIMEHeaderKey(name) + ":", Args: []string{value}, If: ifNone})
		}
	}
	return append(list, fetch.Step{Data: body + "\r\n", If: ifNone})
}

// parseServer parses Config.Submission, or the setting in its place: smtp is a server with STARTTLS, smtps, and port 465, one with
// implicit TLS.
func parseServer(text string) (uri.URI, error) {
	text = cmp.Or(text, "localhost")
	if !strings.HasPrefix(text, "smtps://") {
		text = "smtp://" + strings.TrimPrefix(text, "smtp://")
	}
	u, err := uri.Parse(text)
	if err == nil && u.Scheme() == "smtp" && u.Port() == "465" { // RFC 8314 section 3.3: submissions
		u, err = uri.Parse("smtps" + strings.TrimPrefix(u.String(), "smtp"))
	}
	if err != nil || u.Host() == "" {
		return u, fetch.Errorf(fetch.ErrLocal, "the submission server is not HOST[:PORT], smtp://... or smtps://...")
	}
	return u, nil
}

func submissionPort(server uri.URI) (int, fetch.TLSMode) {
	if server.Scheme() == "smtps" {
		return server.PortNumber(465), fetch.ImplicitTLS
	}
	return server.PortNumber(587), fetch.ExplicitTLS
}

// send submits a message. It finds errors in the header before it contacts the server.
func (r *submission) send(ctx context.Context, p *fetch.Plan, env *fetch.Env, msg io.Reader) (*fetch.Receipt, error) {
	m, err := r.message(p, msg)
	if err != nil {
		return nil, err
	}
	if r.dryRun {
		return traceMessage(env, m)
	}
	id, err := r.identity(ctx, p, env)
	if err != nil {
		return nil, err
	}
	s, err := r.connect(ctx, p, env, id)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.submit(r.recipients, m)
}

// identity returns the user's identity at the submission server: the login of the request takes precedence over that of the server's URI.
func (r *submission) identity(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Identity, error) {
	server := r.server
	if p.Options.Login.Set {
		server = server.WithoutUserinfo()
	}
	return env.Identity(ctx, server, r.port, p.Options.Login)
}

// traceMessage announces the message instead of sending it.
func traceMessage(env *fetch.Env, m *message) (*fetch.Receipt, error) {
	if _, err := io.Copy(lineproto.NewTextWriter(traceWriter{env}), m.reader()); err != nil {
		return nil, maildoc.Unreadable(err)
	}
	return &fetch.Receipt{Refused: map[string]string{}, Reply: "nothing was sent"}, nil
}

// A traceWriter announces what is written to it.
type traceWriter struct{ env *fetch.Env }

func (w traceWriter) Write(p []byte) (int, error) {
	return len(p), w.env.Announce(fetch.Step{Verb: "message", Data: string(p)})
}

// message returns the given message, or else that of the URI alone.
func (r *submission) message(p *fetch.Plan, msg io.Reader) (*message, error) {
	if msg != nil {
		return complete(msg, r.from)
	}
	who, err := parseSender(r.from)
	if err != nil {
		return nil, err
	}
	return compose(p, who)
}

// parseSender parses "ann@host" or "Ann Lab <ann@host>". MAIL FROM contains the address, the field From all of it.
func parseSender(text string) (*netmail.Address, error) {
	if text == "" {
		return nil, &fetch.Error{Kind: fetch.ErrLocal, Text: "sender address missing", Hint: hint.Set + " mailto.from=ADDRESS"}
	}
	who, err := netmail.ParseAddress(text)
	if err != nil {
		who = &netmail.Address{Address: text} // net/mail rejects some addresses that isMailbox accepts
	}
	if !isMailbox(who.Address) {
		return nil, fetch.Errorf(fetch.ErrLocal, "the sender is not an address: %q", text)
	}
	return who, nil
}
