package gemini

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"iter"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/gemtext"
	"example.org/deref/uri"
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
	cert, err := certificate(p.Options)
	if err != nil {
		return nil, status{}, err
	}
	c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{TLS: true, Record: fetch.RecordLines, Certificate: cert})
	if err != nil {
		return nil, status{}, err
	}
	env.Say(st)
	if _, err := io.WriteString(c, st.Line()+"\r\n"); err != nil {
		return nil, status{}, err
	}
	c.Turn()
	line, err := c.ReadLine()
	if err == io.EOF {
		err = fetch.Errorf(fetch.ErrConnection, "the server closed the connection without an answer")
	}
	if err != nil {
		return nil, status{}, err
	}
	c.Stream()
	s, err := parseStatus(string(line))
	return c, s, err
}

// certificate loads the client certificate of the request, nil if it has none.
func certificate(o *fetch.Options) (*tls.Certificate, error) {
	cert, key := o.Get(certFile), o.Get(keyFile)
	if cert == "" {
		return nil, nil
	}
	if key == "" {
		key = cert
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "the client certificate cannot be used: %w", err)
	}
	return &pair, nil
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
	d.End = fetch.EndClosed
	if p.Options.Op == fetch.Metadata {
		c.Close()
		d.Body = nil
	}
	if !strings.HasPrefix(d.Type, "text/") {
		c.Record(fetch.RecordOctets)
	}
	if t, _, _ := strings.Cut(d.Type, ";"); strings.EqualFold(strings.TrimSpace(t), "text/gemini") {
		d.ListWith(func(r io.Reader) iter.Seq2[fetch.Entry, error] { return entries(r, p.URI, env.Limits().Line) })
	}
	return d, nil
}

// entries are the links of a text/gemini document, and the text between them.
func entries(r io.Reader, base uri.URI, most int) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		for l, err := range gemtext.Lines(r, most, false) {
			if errors.Is(err, gemtext.ErrTooLong) {
				err = fetch.Errorf(fetch.ErrLimit, "a line is longer than %d octets", most)
			}
			if !yield(entry(l, base), err) || err != nil {
				return
			}
		}
	}
}

func entry(l gemtext.Line, base uri.URI) fetch.Entry {
	e := fetch.Entry{Title: l.Text, Kind: fetch.KindText, Size: -1}
	if l.Link == "" {
		return e
	}
	u, err := uri.Parse(l.Link)
	if err != nil {
		e.Kind, e.Attr = fetch.KindUnknown, map[string][]string{"malformed": {l.Link}}
		return e
	}
	e.Kind, e.URI = fetch.KindLink, base.Resolve(u)
	return e
}
