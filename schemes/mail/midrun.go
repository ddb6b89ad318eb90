package mail

import (
	"bytes"
	"context"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/mailstore"
	"example.org/deref/schemes/internal/mimepart"
	"example.org/deref/uri"
)

// Run asks the sources in their order. An imap message is referred to, one on this machine is the document itself; news servers are
// asked last, by referral, since only they know what they hold.
func (h mid) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	r, err := midOf(p.URI)
	if err != nil {
		return nil, err
	}
	list, err := h.sources()
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, &fetch.Error{Kind: fetch.ErrNotFound, Text: "no mail source is known to look into", Hint: "--mail SOURCE names one: imap://user@host, maildir:DIR, mbox:FILE, mh:DIR"}
	}
	var first error
	var news []fetch.Referral
	names := []string{}
	for _, s := range list {
		names = append(names, s.name)
		d, err := r.in(ctx, s, p, env)
		switch {
		case d != nil && len(d.Referrals) > 0 && strings.HasPrefix(s.kind, "nntp"):
			news = append(news, d.Referrals...)
		case d != nil:
			return d, nil
		case err != nil && ctx.Err() != nil:
			return nil, err
		case err != nil && first == nil:
			first = err // another source may hold it
		}
	}
	if len(news) > 0 {
		d := fetch.NewDocument(nil)
		d.Referrals = news
		return d, nil
	}
	if first != nil {
		return nil, first
	}
	return nil, fetch.Errorf(fetch.ErrNotFound, "no message <%s> in %s", *r.MessageID, strings.Join(names, ", "))
}

// in looks into one source; nil is none.
func (r ids) in(ctx context.Context, s source, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	switch s.kind {
	case "imap", "imaps":
		return r.inIMAP(ctx, s, p, env)
	case "nntp", "nntps":
		if r.ContentID != nil {
			return nil, nil
		}
		u, err := uri.Parse(s.news(string(*r.MessageID)))
		if err != nil {
			return nil, nil
		}
		env.Say(fetch.Step{Verb: "refer", Args: []string{u.String()}})
		d := fetch.NewDocument(nil)
		d.Referrals = []fetch.Referral{{URI: u, Reason: "the mail source " + s.name, Own: true}}
		return d, nil
	}
	steps, err := r.steps(s, p.Options)
	if err != nil {
		return nil, err
	}
	env.Say(steps[0])
	return r.inStore(ctx, s, env)
}

// inStore reads the headers of a store on this machine.
func (r ids) inStore(ctx context.Context, s source, env *fetch.Env) (*fetch.Document, error) {
	for m, err := range s.messages() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, storeError(s, err)
		}
		head, err := headOf(m)
		if err != nil || head.MessageID() != string(*r.MessageID) {
			continue // one that cannot be read hides no other
		}
		in, err := m.Open()
		if err != nil {
			return nil, storeError(s, err)
		}
		return r.document(in, m.Size, head, env)
	}
	return nil, nil
}

func storeError(s source, err error) error {
	if fetch.KindOf(err) != "" {
		return err
	}
	return fetch.Errorf(fetch.ErrLocal, "%s: %w", s.name, err)
}

// document is the message, or the part of it that the URI names.
func (r ids) document(in io.ReadCloser, size int64, head mimepart.Header, env *fetch.Env) (*fetch.Document, error) {
	if r.ContentID != nil {
		d, err := partOf(in, env.Limits(), string(*r.ContentID))
		if err != nil {
			in.Close()
		}
		return d, err
	}
	d := fetch.NewDocument(in)
	d.Type, d.TypeReason, d.End = "message/rfc822", "a message", fetch.EndClosed
	d.Modified = when(head.Get("Date"))
	return d, nil
}

// headOf reads the header of a stored message.
func headOf(m mailstore.Message) (mimepart.Header, error) {
	fields, err := fieldsOf(m)
	return mimepart.ParseHeader(fields), err
}

func fieldsOf(m mailstore.Message) ([]byte, error) {
	in, err := m.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var b bytes.Buffer
	for b.Len() < mimepart.MaxHeader {
		n, err := io.CopyN(&b, in, 4<<10)
		if bytes.Contains(b.Bytes(), []byte("\n\n")) || bytes.Contains(b.Bytes(), []byte("\n\r\n")) || err == io.EOF || n == 0 {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// inIMAP searches the folders of a server.
func (r ids) inIMAP(ctx context.Context, s source, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	var d *fetch.Document
	hold := false
	err := s.eachFolder(ctx, p, env, func(c *caller, ss *session, name string, validity uint32) (bool, error) {
		uid, err := r.find(c, ss)
		if err != nil || uid == 0 {
			return false, err
		}
		if r.ContentID == nil {
			u, err := messageURI(s.base(), name, validity, uid)
			if err != nil {
				return false, err
			}
			d = fetch.NewDocument(nil)
			d.Referrals = []fetch.Referral{{URI: u, Reason: "the mail source " + s.name, Own: true}}
			return true, nil
		}
		t, err := ss.text(uid, part{})
		if err != nil {
			return false, err
		}
		hold = true
		t.done = func(bool) {} // the end of the request closes the session
		d, err = r.document(t, t.size, nil, env)
		return true, err
	}, &hold)
	return d, err
}

// find searches the open folder, and verifies.
func (r ids) find(c *caller, s *session) (uint32, error) {
	c.say("UID SEARCH", "")
	uids, err := s.searchHeader("Message-ID", "<"+string(*r.MessageID)+">")
	if err != nil || len(uids) == 0 {
		return 0, err
	}
	c.say("UID FETCH", numbers(uids))
	found := uint32(0)
	for h, err := range s.heads(uids) {
		if err != nil {
			return 0, err
		}
		if found == 0 && sameID(mimepart.ParseHeader(h.fields).MessageID(), string(*r.MessageID)) {
			found = h.uid // the rest is read: the session goes on
		}
	}
	return found, nil
}

// sameID compares ids: they have case, but a folded one has blanks that need not be the same ones.
func sameID(a, b string) bool {
	return a == b || strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " ")
}
