package mail

import (
	"context"
	"io"
	"iter"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/maildoc"
)

// Run carries out the Plan within a session that an earlier request may have left. What is said only reads, so it is said again on a new
// connection if a kept one gives no answer at all.
func (h imap) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	r, err := h.reading(p.URI)
	if err != nil {
		return nil, err
	}
	n, err := partNumber(p.Options.Get("imap.part"))
	if err != nil {
		return nil, err
	}
	c := &caller{env: env, addr: p.Addr, tls: h.tls, ssl: p.Options.Get("imap.ssl"), steps: p.Steps, login: p.Options.Login, options: p.Options}
	for {
		s, done, err := lease(ctx, c)
		if err != nil {
			return nil, err
		}
		used := s.used
		s.used = true
		d, err := r.fetch(c, s, done)
		if err == nil {
			return h.dress(r, d, p, n, env)
		}
		done(false)
		if !used || fetch.KindOf(err) != fetch.ErrConnection || ctx.Err() != nil {
			return d, err
		}
	}
}

// dress makes of a message what is wanted of it.
func (h imap) dress(r box, d *fetch.Document, p *fetch.Plan, n int, env *fetch.Env) (*fetch.Document, error) {
	switch {
	case r.UID == nil, r.Section != nil, r.Partial != nil, p.Options.Op != fetch.Retrieve, d.NotModified, d.Offset > 0:
		return d, nil
	case n > 0:
		return maildoc.Part(d, n, env.Limits().Nesting)
	case p.Options.Get("imap.view") == "mbox":
		return alone(d), nil
	}
	h.describe(d, p.URI, env.Limits())
	return d, nil
}

// lease finds or opens a session.
func lease(ctx context.Context, c *caller) (*session, func(bool), error) {
	s, done, err := fetch.Lease(ctx, c.env, c.addr+" "+c.ssl+" "+c.login.User, c.open)
	if err == nil {
		s.guard.serve(ctx)
	}
	return s, done, err
}

// fetch says what follows the login.
func (r *box) fetch(c *caller, s *session, done func(bool)) (*fetch.Document, error) {
	if r.Mailbox == nil {
		if err := c.say("LIST", ""); err != nil {
			return nil, err
		}
		return r.listing(s, done, r.folderEntries(s)), nil
	}
	if err := c.say("EXAMINE", ""); err != nil {
		return nil, err
	}
	validity, messages, err := s.examine(string(*r.Mailbox))
	switch {
	case err != nil:
		return nil, err
	case r.UIDValidity != nil && *r.UIDValidity != validity:
		return nil, fetch.Errorf(fetch.ErrChanged, "the folder has the UIDVALIDITY %d: its messages have other numbers now", validity)
	case r.UID != nil:
		return r.message(c, s, done, validity)
	}
	words, ok := r.program(c.options)
	if !ok && len(c.options.Search) == 0 {
		return r.folder(c, s, done, validity, nil, messages)
	}
	if err := c.say("UID SEARCH", ""); err != nil {
		return nil, err
	}
	var uids []uint32
	if ok {
		uids, err = s.search(words)
	} else {
		uids, err = s.searchText(c.options.Search)
	}
	if err != nil {
		return nil, err
	}
	messages = min(messages, uint32(len(uids)))
	return r.folder(c, s, done, validity, uids, messages)
}

// folder is the document of the messages uids of the open folder; nil stands for all that it has.
func (r *box) folder(c *caller, s *session, done func(bool), validity uint32, uids []uint32, messages uint32) (*fetch.Document, error) {
	switch {
	case c.options.Get("imap.view") == "mbox":
		f := opened{caller: c, session: s, box: *r, name: string(*r.Mailbox), validity: validity}
		d := maildoc.Mailbox(f.texts(uids, func() { done(true) }))
		d.Body = &closing{d.Body, func() { done(false) }}
		return d, nil
	case messages == 0:
		return r.listing(s, done, func(func(fetch.Entry, error) bool) {}), nil
	}
	if err := c.say("UID FETCH", numbers(uids)); err != nil {
		return nil, err
	}
	return r.listing(s, done, r.headEntries(s, validity, uids)), nil
}

// program is what is searched for: what the URI says; for a mailbox of all messages, all.
func (r *box) program(o *fetch.Options) (string, bool) {
	switch {
	case r.Search != nil:
		return string(*r.Search), true
	case len(o.Search) > 0:
		return "", false
	case o.Get("imap.view") == "mbox" && r.Mailbox != nil && r.UID == nil:
		return "ALL", true
	}
	return "", false
}

// texts are the messages of a folder themselves, and then the call of end. One that has gone meanwhile is passed over.
func (f opened) texts(uids []uint32, end func()) iter.Seq2[*fetch.Document, error] {
	return func(yield func(*fetch.Document, error) bool) {
		for _, uid := range uids {
			d, err := f.open(uid, new(bool))
			if fetch.KindOf(err) == fetch.ErrNotFound {
				continue
			}
			if err == nil {
				err = behead(d)
			}
			if !yield(d, err) || err != nil {
				return
			}
		}
		end()
	}
}

// behead reads the header of a message into its Header.
func behead(d *fetch.Document) error {
	fields, rest, err := cutHeader(d.Body)
	d.Body = struct {
		io.Reader
		io.Closer
	}{rest, d.Body}
	d.Header = headerOf(fields)
	d.Modified = when(d.Header.Get("Date"))
	return err
}
