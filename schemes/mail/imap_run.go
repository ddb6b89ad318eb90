package mail

import (
	"context"
	"fmt"
	"iter"

	wire "github.com/emersion/go-imap/v2"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/uri"
)

// run uses a session that an earlier request may have left. All commands only read, so run sends them again on a new connection if a kept
// one does not respond at all.
func (r *imapRequest) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	server := &imapServer{env: env, addr: p.Addr, tls: tlsOf(r.Scheme), steps: p.Steps, login: p.Options.Login}
	for {
		s, release, err := server.lease(ctx)
		if err != nil {
			return nil, err
		}
		used := s.used
		s.used = true
		f := &imapFetch{imapRequest: r, openMailbox: openMailbox{imapServer: server, session: s, prefix: r.imapURI}, options: p.Options,
			release: release}
		d, err := f.document()
		if err == nil {
			return r.view(d, p, env)
		}
		release(false)
		if !used || fetch.KindOf(err) != fetch.ErrConnection || ctx.Err() != nil {
			return d, err
		}
	}
}

// view returns the part or view of the message d that the request names.
func (r *imapRequest) view(d *fetch.Document, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	switch {
	case r.UID == nil, r.Section != nil, r.Partial != nil, p.Options.Op != fetch.Retrieve, d.NotModified, d.Offset > 0:
		return d, nil
	case r.part > 0:
		return maildoc.Part(d, r.part, env.Limits().Nesting)
	case r.mbox:
		return singleMailbox(d)
	}
	r.listContents(d, p.URI, env.Limits())
	return d, nil
}

// lease returns a kept or a new session.
func (s *imapServer) lease(ctx context.Context) (*session, func(reuse bool), error) {
	ss, release, err := fetch.Lease(ctx, s.env, s.addr+" "+s.login.User, s.open)
	if err == nil {
		ss.guard.serve(ctx, s.env)
	}
	return ss, release, err
}

// An imapFetch is one run of an imapRequest within a session.
type imapFetch struct {
	*imapRequest
	openMailbox
	options *fetch.Options
	release func(reuse bool)
}

// document sends the commands after the login.
func (f *imapFetch) document() (*fetch.Document, error) {
	if f.Mailbox == nil {
		if err := f.announce("LIST"); err != nil {
			return nil, err
		}
		return f.listing(f.mailboxEntries()), nil
	}
	f.name = string(*f.Mailbox)
	box, err := f.examine()
	if err != nil {
		return nil, err
	}
	switch {
	case f.UIDValidity != nil && *f.UIDValidity != f.validity:
		return nil, fetch.Errorf(fetch.ErrChanged, "the UIDVALIDITY is %d now: the messages have other numbers", f.validity)
	case f.UID != nil:
		return f.message()
	case f.options.Op == fetch.Metadata && f.isWholeMailbox():
		return f.mailboxMetadata(box), nil
	case f.program == "" && len(f.words) == 0:
		return f.messages(nil, box.NumMessages)
	}
	if err := f.announce("UID SEARCH"); err != nil {
		return nil, err
	}
	var uids []uint32
	if f.program != "" {
		uids, err = f.search(f.program)
	} else {
		uids, err = f.searchText(f.words)
	}
	if err != nil {
		return nil, err
	}
	return f.messages(uids, min(box.NumMessages, uint32(len(uids))))
}

// mailboxMetadata describes a mailbox without its messages.
func (f *imapFetch) mailboxMetadata(box *wire.SelectData) *fetch.Document {
	d := fetch.NewDocument(nil)
	d.Type, d.TypeReason, d.Validator = fetch.ListingType, "a mailbox", mailboxState(box)
	if f.mbox {
		d.Type = maildoc.MailboxType
	}
	d.Header.Set("Messages", fmt.Sprint(box.NumMessages))
	f.release(true)
	return d
}

// messages returns the listing or the mbox file of the messages uids. nil means all of the mailbox.
func (f *imapFetch) messages(uids []uint32, count uint32) (*fetch.Document, error) {
	switch {
	case f.mbox:
		d := maildoc.Mailbox(maildoc.MailboxBody(f.texts(uids, func() { f.release(true) }), 0))
		f.releaseAtClose(d)
		return d, nil
	case count == 0:
		return f.listing(func(func(fetch.Entry, error) bool) {}), nil
	}
	if err := f.announceFetch(headerItems, uids); err != nil {
		return nil, err
	}
	return f.listing(f.messageEntries(uids)), nil
}

// listing returns a Document of entries. It releases the session at the last one.
func (f *imapFetch) listing(entries iter.Seq2[fetch.Entry, error]) *fetch.Document {
	d := fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
		for e, err := range entries {
			if !yield(e, err) || err != nil {
				return
			}
		}
		f.release(true)
	})
	f.releaseAtClose(d)
	return d
}

// releaseAtClose releases the session when the Body is closed early.
func (f *imapFetch) releaseAtClose(d *fetch.Document) {
	body := d.Body
	d.Body = fetch.NewBody(body, func() error {
		f.release(false)
		return body.Close()
	})
}

// mailboxEntries yields the mailboxes that LIST returns.
func (f *imapFetch) mailboxEntries() iter.Seq2[fetch.Entry, error] {
	return mapped(f.mailboxes(), func(m listed) (fetch.Entry, error) {
		e := fetch.Entry{Title: m.name, Kind: fetch.KindDir, Size: -1, Attr: map[string][]string{"attributes": m.attrs}}
		u, err := uri.Parse(f.base() + escapeIn(m.name, mailboxSafe))
		switch {
		case err != nil || m.name == "":
			e.Kind = fetch.KindUnknown
		case m.has(`\Noselect`) || m.has(`\NonExistent`):
			e.Kind = fetch.KindText
		default:
			e.URI = u
		}
		return e, nil
	})
}

// messageEntries yields messages of the mailbox.
func (f *imapFetch) messageEntries(uids []uint32) iter.Seq2[fetch.Entry, error] {
	return mapped(f.heads(uids), func(h head) (fetch.Entry, error) {
		e := h.entry()
		e.URI = f.messageURI(h.uid)
		return e, nil
	})
}
