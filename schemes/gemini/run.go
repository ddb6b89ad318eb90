package gemini

import (
	"context"
	"io"
	"iter"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/schemes/internal/clientcert"
	"example.org/deref/schemes/internal/gemtext"
)

// Run asks, and asks again with the secret that the server wants.
func (handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	env.Hide(string(escape(p.Options.Login.Password)))
	c, s, err := say(ctx, p.When("")[0], p, env)
	if err == nil && s.code == 11 {
		for _, again := range p.When(secretWanted) {
			c.Close()
			c, s, err = say(ctx, again, p, env)
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

// say sends one request over a connection of its own, which is all that a gemini connection can do.
func say(ctx context.Context, st fetch.Step, p *fetch.Plan, env *fetch.Env) (*fetch.Conn, status, error) {
	cert, err := clientcert.Load(p.Options, "gemini")
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
	return c, s, err
}

// document makes a Document of what follows the status line of success or redirect.
func document(c *fetch.Conn, s status, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	if s.code/10 == 3 {
		r, err := s.referral(p.URI)
		if err != nil {
			return nil, err
		}
		c.Close()
		return &fetch.Document{Referrals: []fetch.Referral{r}}, nil
	}
	d := fetch.NewDocument(c)
	var err error
	if d.Type, d.TypeReason, err = s.mediaType(); err != nil {
		return nil, err
	}
	d.End, d.Status = fetch.EndClosed, s.code
	if p.Options.Op == fetch.Metadata {
		c.Close()
		d.Body = nil
	}
	if !strings.HasPrefix(d.Type, "text/") {
		c.Record(fetch.RecordOctets)
	}
	if mediatype.Essence(d.Type) == "text/gemini" {
		d.ListWith(func(r io.Reader) iter.Seq2[fetch.Entry, error] {
			return gemtext.Entries(r, p.URI, env.Limits().Line, false)
		})
	}
	return d, nil
}
