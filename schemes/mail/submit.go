package mail

import (
	"context"
	"io"

	"example.org/deref/fetch"
)

// Send submits a message: RFC 6409, RFC 5321. What can be wrong with its header is found before anybody is contacted.
func (h mailto) Send(ctx context.Context, p *fetch.Plan, env *fetch.Env, msg io.Reader) (*fetch.Receipt, error) {
	r, err := letterOf(p.URI, p.Options.Mode)
	if err != nil {
		return nil, err
	}
	from, err := sender(h.from(p.Options))
	if err != nil {
		return nil, err
	}
	var m *message
	if msg == nil {
		m = r.compose(p, from)
	} else if m, err = given(msg, from); err != nil {
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
	s, err := h.connect(ctx, p, env, login)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.submit(from, recipients, m)
}

// dryRun says the message, and sends nothing.
func dryRun(env *fetch.Env, m *message) (*fetch.Receipt, error) {
	buf := make([]byte, 32<<10)
	in := m.reader()
	for {
		n, err := in.Read(buf)
		if n > 0 {
			env.Say(fetch.Step{Verb: "message", Data: string(buf[:n])})
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

// sender checks an address that goes into MAIL FROM.
func sender(addr string) (string, error) {
	if addr == "" {
		return "", &fetch.Error{Kind: fetch.ErrLocal, Text: "a message says who sends it", Hint: "--from ADDRESS"}
	}
	var l letter
	if l.add(addr) != nil {
		return "", fetch.Errorf(fetch.ErrLocal, "the sender is no address: %q", addr)
	}
	return addr, nil
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
