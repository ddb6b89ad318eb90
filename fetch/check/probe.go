package check

import (
	"context"
	"errors"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fragment"
	"example.org/deref/fetch/portal"
	"example.org/deref/uri"
)

// probe finds out whether one link leads to something.
type probe struct {
	ctx     context.Context
	client  fetch.Getter
	options *fetch.Options
	pages   *pages
	uri     uri.URI
	suspect string // why the document is probably another one
}

// do returns where the link leads, zero for where it says.
func (p *probe) do() (final uri.URI, err error) {
	d := p.pages.find(p.uri)
	if d == nil {
		d, err = p.ask(fetch.Metadata)
	}
	if err != nil && p.worthAsking(err) {
		d, err = p.ask(fetch.Retrieve)
	}
	if err == nil {
		p.suspect = portal.Suspect(p.uri, d, "")
	}
	if err == nil && meansPart(d) {
		err = p.findPart()
	}
	if d != nil && len(d.Via) > 0 {
		final = d.URI
	}
	if d != nil && final.IsZero() && len(d.Referrals) > 0 {
		final = d.Referrals[0].URI
	}
	return final, err
}

// worthAsking reports whether err may be one of the question only: many servers have documents and no answer to HEAD, and some
// protocols have no such question.
func (p *probe) worthAsking(err error) bool {
	switch fetch.KindOf(err) {
	case fetch.ErrUnsupported, fetch.ErrNotFound, fetch.ErrRefused, fetch.ErrProtocol, fetch.ErrUnavailable, fetch.ErrTruncated, fetch.ErrLimit:
		return true
	}
	return false
}

// get makes a request; the caller closes the document.
func (p *probe) get(op fetch.Op) (*fetch.Document, error) {
	o := fetch.Options{}
	if p.options != nil {
		o = *p.options
	}
	o.Op, o.Foreign = op, true
	d, err := p.client.Get(p.ctx, p.uri, &o)
	if err != nil && d != nil {
		d.Body.Close()
	}
	return d, err
}

// ask makes a request, and of a document reads the beginning: some say only there that they are none.
func (p *probe) ask(op fetch.Op) (*fetch.Document, error) {
	d, err := p.get(op)
	if err != nil {
		return d, sessionIsGood(err)
	}
	defer d.Body.Close()
	if op == fetch.Metadata {
		return d, nil
	}
	if d.Entries != nil {
		for _, err := range d.Entries {
			return d, sessionIsGood(err)
		}
		return d, nil
	}
	return d, sessionIsGood(begin(d.Body))
}

// begin reads the first octet, if there is one.
func begin(r io.Reader) error {
	var first [1]byte
	if _, err := io.ReadFull(r, first[:]); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// sessionIsGood: a host that shows its first screen is there.
func sessionIsGood(err error) error {
	if errors.Is(err, fetch.ErrInteractive) {
		return nil
	}
	return err
}

// meansPart reports whether the fragment names something that can be looked for: what fragments of other types mean is for their
// readers to know.
func meansPart(d *fetch.Document) bool {
	page := strings.HasPrefix(d.Type, "text/html") || strings.HasPrefix(d.Type, "application/xhtml+xml")
	f := d.Fragment
	switch {
	case f == "", page && (strings.EqualFold(f, "top") || strings.HasPrefix(f, ":~:")): // the window's own (HTML section 7.4.6.4)
		return false
	}
	return page || strings.HasPrefix(d.Type, "text/") && (strings.HasPrefix(f, "line=") || strings.HasPrefix(f, "char="))
}

// findPart looks for the part that the fragment names.
func (p *probe) findPart() error {
	d := p.pages.find(p.uri)
	if d == nil {
		var err error
		if d, err = p.get(fetch.Retrieve); err != nil {
			return err
		}
		p.pages.hold(p.uri, d)
	}
	defer d.Body.Close()
	if err := fragment.Cut(d); err != nil {
		return err
	}
	return begin(d.Body)
}

// judge is the verdict of what was found out.
func judge(r *Result) Verdict {
	if r.Suspect != "" {
		return Suspect
	}
	switch fetch.KindOf(r.Err) {
	case fetch.ErrNotFound:
		if s := r.URI.Scheme(); s == "mailto" || s == "mid" || s == "cid" {
			return NotCheckable // what is not in one's own mail may be in somebody else's
		}
	case fetch.ErrUnsupported:
		return NotCheckable
	case fetch.ErrAuth, fetch.ErrRefused, fetch.ErrDenied, fetch.ErrRefusedPort:
		return Denied
	case fetch.ErrDNS, fetch.ErrConnect, fetch.ErrConnection, fetch.ErrTimeout, fetch.ErrTLS, fetch.ErrUnavailable:
		return Unreachable
	case fetch.ErrRedirect:
		if !r.Final.IsZero() {
			return Redirected // to where the policy does not follow
		}
		return Broken
	case fetch.ErrLocal:
		return NotCheckable // no source of mail is named, no such file system is mounted
	}
	switch {
	case r.Err != nil && (errors.Is(r.Err, context.Canceled) || errors.Is(r.Err, context.DeadlineExceeded)):
		return NotCheckable
	case r.Err != nil:
		return Broken
	case !r.Final.IsZero():
		return Redirected
	}
	return OK
}
