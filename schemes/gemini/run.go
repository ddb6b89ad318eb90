package gemini

import (
	"context"

	"example.org/deref/fetch"
	"example.org/deref/fetch/gemtext"
)

// run sends the request, and then the secret if the server wants it.
func (r *request) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	env.Hide(r.secret)
	c, s, err := r.exchange(ctx, p.When("")[0], p, env)
	if err == nil && s.code == 11 {
		for _, answer := range p.When(secretWanted) {
			c.Close()
			c, s, err = r.exchange(ctx, answer, p, env)
		}
	}
	if err != nil {
		return nil, err
	}
	if err := s.failure(); err != nil {
		return nil, err
	}
	return document(c, s, p, env)
}

// exchange sends one step and reads the status. A gemini connection serves a single request.
func (r *request) exchange(ctx context.Context, st fetch.Step, p *fetch.Plan, env *fetch.Env) (*fetch.Conn, status, error) {
	cert, err := r.cert.Load()
	if err != nil {
		return nil, status{}, err
	}
	c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{TLS: true, Record: fetch.RecordLines, Certificate: cert})
	if err != nil {
		return nil, status{}, err
	}
	if err := c.Send(st); err != nil {
		return nil, status{}, err
	}
	c.BeginReply()
	line, err := c.ReadLine()
	if err != nil {
		return nil, status{}, err
	}
	c.BeginBody()
	s, err := parseStatus(string(line))
	if err == nil {
		s.strict(string(line), env)
	}
	return c, s, err
}

// document makes a Document of the bytes after a status of success or redirect.
func document(c *fetch.Conn, s status, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	if s.code/10 == 3 {
		r, err := s.referral(p.URI)
		if err != nil {
			return nil, err
		}
		c.Close()
		return &fetch.Document{Referrals: []fetch.Referral{r}}, nil
	}
	mediaType, err := s.mediaType()
	if err != nil {
		return nil, err
	}
	d := gemtext.Document(c, mediaType, p, env, false)
	if d.Status = s.code; s.meta == "" {
		d.TypeReason = "the protocol's default"
	}
	if p.Options.Op == fetch.Metadata {
		c.Close()
		d.Body = nil
	}
	return d, nil
}
