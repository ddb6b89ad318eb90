package mail

import (
	"context"
	"io"
	"iter"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Run carries out the Plan within a session that an earlier request may have left.
func (h imap) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	r, err := h.reading(p.URI)
	if err != nil {
		return nil, err
	}
	c := &caller{env: env, addr: p.Addr, tls: h.tls, ssl: p.Options.Get("imap.ssl"), steps: p.Steps, login: p.Options.Login, options: p.Options}
	s, done, err := lease(ctx, c)
	if err != nil {
		return nil, err
	}
	d, err := r.fetch(c, s, done)
	if err != nil {
		done(false)
	}
	return d, err
}

// lease finds or opens a session.
func lease(ctx context.Context, c *caller) (*session, func(bool), error) {
	return fetch.Lease(ctx, c.env, c.addr+" "+c.ssl+" "+c.login.User, c.open)
}

// fetch says what follows the login.
func (r *box) fetch(c *caller, s *session, done func(bool)) (*fetch.Document, error) {
	if r.Mailbox == nil {
		c.say("LIST", "")
		return r.listing(s, done, r.folderEntries(s)), nil
	}
	c.say("EXAMINE", "")
	validity, messages, err := s.examine(string(*r.Mailbox))
	switch {
	case err != nil:
		return nil, err
	case r.UIDValidity != nil && *r.UIDValidity != validity:
		return nil, fetch.Errorf(fetch.ErrChanged, "the folder has the UIDVALIDITY %d: its messages have other numbers now", validity)
	case r.UID != nil:
		return r.message(c, s, done, validity)
	}
	uids := []uint32(nil)
	if r.Search != nil {
		c.say("UID SEARCH", "")
		if uids, err = s.search(string(*r.Search)); err != nil {
			return nil, err
		}
	}
	if messages == 0 || r.Search != nil && len(uids) == 0 {
		return r.listing(s, done, func(func(fetch.Entry, error) bool) {}), nil
	}
	c.say("UID FETCH", numbers(uids))
	return r.listing(s, done, r.headEntries(s, validity, uids)), nil
}

// say announces a step; uids stand in for what the search found.
func (c *caller) say(verb, uids string) {
	step, ok := c.step(verb)
	if !ok {
		return
	}
	if uids != "" && len(step.Args) > 0 && step.Args[0] == "<uids>" {
		step.Args = append([]string{uids}, step.Args[1:]...)
	}
	c.env.Say(step)
}

func numbers(uids []uint32) string {
	const most = 50
	words := []string{}
	for _, n := range uids[:min(len(uids), most)] {
		words = append(words, strconv.FormatUint(uint64(n), 10))
	}
	if len(uids) > most {
		words = append(words, "...")
	}
	return strings.Join(words, ",")
}

// listing is a Document of entries; the session is given back when they are at their end.
func (r *box) listing(s *session, done func(bool), entries iter.Seq2[fetch.Entry, error]) *fetch.Document {
	d := fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
		for e, err := range entries {
			if !yield(e, err) || err != nil {
				return
			}
		}
		done(true)
	})
	d.Body = &closing{d.Body, func() { done(false) }}
	return d
}

// closing does something more when a Body is closed.
type closing struct {
	io.ReadCloser
	also func()
}

func (c *closing) Close() error {
	c.also()
	return c.ReadCloser.Close()
}

// base is "imap://user@host:port/", what the URIs of entries begin with.
func (r *box) base() string {
	b := r.Scheme + "://"
	if r.User != nil || r.Auth != nil {
		if r.User != nil {
			b += escapeIn(string(*r.User), "&=~")
		}
		if r.Auth != nil {
			b += ";AUTH=" + escapeIn(string(*r.Auth), "*")
		}
		b += "@"
	}
	host := r.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	b += host
	if r.Port != portOf(r.Scheme) {
		b += ":" + strconv.Itoa(r.Port)
	}
	return b + "/"
}

// escapeIn escapes all but unreserved characters and those of extra: RFC 5092 section 11, achar and bchar.
func escapeIn(s, extra string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~"+extra, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteString("%" + string("0123456789ABCDEF"[c>>4]) + string("0123456789ABCDEF"[c&15]))
	}
	return b.String()
}

// messageURI names a message of a folder.
func messageURI(base, mailbox string, validity, uid uint32) (uri.URI, error) {
	s := base + escapeIn(mailbox, "/:@&=!$'()+,*")
	if validity != 0 {
		s += ";UIDVALIDITY=" + strconv.FormatUint(uint64(validity), 10)
	}
	return uri.Parse(s + "/;UID=" + strconv.FormatUint(uint64(uid), 10))
}

// folderEntries are the lines of LIST.
func (r *box) folderEntries(s *session) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		for f, err := range s.folders() {
			e := fetch.Entry{Title: f.name, Kind: fetch.KindDir, Size: -1}
			if err == nil {
				e.Attr = map[string][]string{"attributes": f.attrs}
				u, bad := uri.Parse(r.base() + escapeIn(f.name, "/:@&=!$'()+,*"))
				switch {
				case bad != nil || f.name == "":
					e.Kind = fetch.KindUnknown
				case f.has(`\Noselect`) || f.has(`\NonExistent`):
					e.Kind = fetch.KindText
				default:
					e.URI = u
				}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// headEntries are the messages of a folder.
func (r *box) headEntries(s *session, validity uint32, uids []uint32) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		for h, err := range s.heads(uids) {
			e := fetch.Entry{}
			if err == nil {
				e = headEntry(h)
				e.URI, err = messageURI(r.base(), string(*r.Mailbox), validity, h.uid)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// message fetches one, or a part of it.
func (r *box) message(c *caller, s *session, done func(bool), validity uint32) (*fetch.Document, error) {

	o := c.options
	tag := strconv.FormatUint(uint64(validity), 10) + "." + strconv.FormatUint(uint64(*r.UID), 10)
	from, to, err := r.octets(o.Range)
	if err != nil {
		return nil, err
	}
	if o.IfSame.Tag != "" && o.IfSame.Tag != tag && !o.Range.IsZero() {
		return nil, fetch.Errorf(fetch.ErrChanged, "the folder has another UIDVALIDITY: the message may be another one")
	}
	if o.IfChanged.Tag == tag { // RFC 9051 section 2.3.1.1: the message of a UID never changes
		done(true)
		d := fetch.NewDocument(nil)
		d.NotModified, d.Validator.Tag = true, tag
		return d, nil
	}
	c.say("UID FETCH", "")
	if o.Op == fetch.Metadata {
		return r.metadata(s, done, tag)
	}
	x := part{from: from}
	if r.Section != nil {
		x.spec = string(*r.Section)
	}
	if to > 0 {
		x.length = to - from
	} else if from > 0 {
		x.length = 1<<32 - 1
	}
	t, err := s.text(*r.UID, x)
	if err != nil {
		return nil, err
	}
	t.done = done
	d := fetch.NewDocument(t)
	d.End, d.Validator.Tag = fetch.EndDeclared, tag
	d.Type, d.TypeReason = sectionType(x.spec)
	if r.Partial != nil {
		from -= int64(r.Partial.From)
	}
	d.Offset = from
	if x.length == 0 || r.Partial != nil && o.Range.IsZero() {
		d.Size = t.size
	}
	return d, nil
}

// metadata is what is known of a message without its text.
func (r *box) metadata(s *session, done func(bool), tag string) (*fetch.Document, error) {
	d := fetch.NewDocument(nil)
	found := false
	for h, err := range s.heads([]uint32{*r.UID}) {
		if err != nil {
			return nil, err
		}
		found = true
		d.Header, d.Modified = headerOf(h.fields), h.date
		if r.Section == nil && r.Partial == nil {
			d.Size = h.size
		}
	}
	if !found {
		return nil, fetch.Errorf(fetch.ErrNotFound, "the folder has no such message")
	}
	if r.Section == nil {
		d.Type, d.TypeReason = sectionType("")
	}
	d.Validator.Tag = tag
	done(true)
	return d, nil
}

// sectionType is the media type of a section as far as the section tells.
func sectionType(spec string) (mediaType, reason string) {
	upper := strings.ToUpper(spec)
	switch {
	case spec == "":
		return "message/rfc822", "a message"
	case strings.Contains(upper, "HEADER"), strings.HasSuffix(upper, "MIME"):
		return "text/rfc822-headers", "header fields"
	}
	return "application/octet-stream", "a part, as it is encoded"
}
