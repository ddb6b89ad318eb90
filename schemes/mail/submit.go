package mail

import (
	"context"
	"io"
	netmail "net/mail"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
)

// Send submits a message: RFC 6409, RFC 5321. What can be wrong with its header is found before anybody is contacted.
func (h mailto) Send(ctx context.Context, p *fetch.Plan, env *fetch.Env, msg io.Reader) (*fetch.Receipt, error) {
	r, err := letterOf(p.URI, p.Options.Mode)
	if err != nil {
		return nil, err
	}
	m, err := r.toSend(p, msg, h.from(p.Options))
	if err != nil {
		return nil, err
	}
	recipients, err := r.recipients()
	if err != nil {
		return nil, err
	}
	if p.Options.Get("mailto.dry-run") == "yes" {
		return dryRun(env, m)
	}
	login, err := h.submitter(ctx, p, env)
	if err != nil {
		return nil, err
	}
	if err := checkLogin(login); err != nil {
		return nil, err
	}
	s, err := h.connect(ctx, p, env, login)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.submit(recipients, m)
}

// dryRun says the message, and sends nothing.
func dryRun(env *fetch.Env, m *message) (*fetch.Receipt, error) {
	buf := make([]byte, 32<<10)
	in := m.reader()
	for {
		n, err := in.Read(buf)
		if n > 0 {
			if err := env.Announce(fetch.Step{Verb: "message", Data: string(buf[:n])}); err != nil {
				return nil, err
			}
		}
		if err == io.EOF {
			return &fetch.Receipt{Refused: map[string]string{}, Reply: "nothing was sent"}, nil
		}
		if err != nil {
			return nil, fetch.Errorf(fetch.ErrLocal, "the message cannot be read: %w", err)
		}
	}
}

// from is the user's address.
func (h mailto) from(o *fetch.Options) string {
	if from := o.Get("mailto.from"); from != "" {
		return from
	}
	return h.From
}

// toSend is the message that is given, or else that of the URI alone.
func (r letter) toSend(p *fetch.Plan, msg io.Reader, from string) (*message, error) {
	if msg != nil {
		return given(msg, from)
	}
	who, err := senderOf(from)
	if err != nil {
		return nil, err
	}
	return r.compose(p, who), nil
}

// senderOf reads who sends a message: "ann@host", or "Ann Lab <ann@host>". The address goes into MAIL FROM, the whole into From.
func senderOf(text string) (*netmail.Address, error) {
	if text == "" {
		return nil, &fetch.Error{Kind: fetch.ErrLocal, Text: "a message says who sends it", Hint: "--from ADDRESS"}
	}
	who, err := netmail.ParseAddress(text)
	if err != nil {
		who = &netmail.Address{Address: text} // what it takes for none may be one: letter decides
	}
	if !isMailbox(who.Address) {
		return nil, fetch.Errorf(fetch.ErrLocal, "the sender is no address: %q", text)
	}
	return who, nil
}

// author is who says in its header that the message is theirs: RFC 5322 section 3.6.2.
func author(h mimemail.Header) string {
	for _, name := range [...]string{"Sender", "From"} {
		if list, err := netmail.ParseAddressList(h.Get(name)); err == nil {
			return list[0].Address
		}
	}
	return ""
}

// fromField is the field From. An address alone stands as it is: there is nothing to encode.
func fromField(who *netmail.Address) string {
	if who.Name == "" {
		return "From: <" + who.Address + ">\r\n"
	}
	return "From: " + who.String() + "\r\n"
}

// submitter is who sends: as the request says, or what is known of the server's user.
func (h mailto) submitter(ctx context.Context, p *fetch.Plan, env *fetch.Env) (fetch.Login, error) {
	if p.Options.Login.Set {
		return p.Options.Login, nil
	}
	server, err := h.server(p.Options)
	if err != nil {
		return fetch.Login{}, err
	}
	return env.Login(ctx, server)
}

var _ fetch.Sender = mailto{}
