package check

import (
	"context"
	"errors"
	"io"
	"iter"
	"net"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fragment"
	"example.org/deref/fetch/internal/socket"
	"example.org/deref/fetch/portal"
	"example.org/deref/uri"
)

// A probe checks one link.
type probe struct {
	ctx     context.Context
	client  fetch.Getter
	options *fetch.Options
	pages   *pages
	uri     uri.URI
	suspect string // why the document is probably another one

	permanent bool // every redirect is
	status    int  // of the response
}

// do returns the final URI, or zero if the link is not redirected.
func (p *probe) do() (final uri.URI, err error) {
	d := p.pages.find(p.uri)
	if d == nil {
		d, err = p.request(fetch.Metadata)
	}
	if err != nil && p.retriesWithGet(err) {
		d, err = p.request(fetch.Retrieve)
	}
	if d != nil {
		p.status = d.Status
	}
	if err == nil {
		p.suspect = portal.Suspect(p.uri, d, "")
	}
	if err == nil && hasPart(d) {
		err = p.findPart()
	}
	return p.final(d), err
}

// final returns the URI that d redirects to, or has been redirected to. It returns zero if there is none.
func (p *probe) final(d *fetch.Document) uri.URI {
	if d == nil {
		return uri.URI{}
	}
	p.permanent = len(d.Via) > 0 && !slices.ContainsFunc(d.Via, func(r fetch.Referral) bool { return !r.Permanent })
	switch {
	case len(d.Via) > 0:
		return d.URI
	case len(d.Referrals) > 0:
		p.permanent = d.Referrals[0].Permanent
		return d.Referrals[0].URI
	}
	return uri.URI{}
}

// retriesWithGet reports whether err may concern only the metadata request: many servers have documents but reject HEAD, and some protocols
// have no such request.
func (p *probe) retriesWithGet(err error) bool {
	switch fetch.KindOf(err) {
	case fetch.ErrUnsupported, fetch.ErrNotFound, fetch.ErrRefused, fetch.ErrProtocol, fetch.ErrUnavailable, fetch.ErrTruncated,
		fetch.ErrLimit:
		return true
	}
	return false
}

// get sends a request. The caller closes the document.
func (p *probe) get(op fetch.Op) (*fetch.Document, error) {
	o := p.options.Clone()
	o.Op, o.Foreign = op, true
	d, err := get(p.ctx, p.client, p.uri, o)
	if err != nil && d != nil {
		d.Body.Close()
	}
	return d, err
}

// get is Get. A document with a content coding that was not requested is requested again with codings, since its text is needed.
func get(ctx context.Context, c fetch.Getter, u uri.URI, o *fetch.Options) (*fetch.Document, error) {
	d, err := c.Get(ctx, u, o)
	if err != nil || len(d.Header["Content-Encoding"]) == 0 || o != nil && o.Op != fetch.Retrieve {
		return d, err
	}
	d.Body.Close()
	o = o.Clone()
	o.Put("http.compressed", "1")
	return c.Get(ctx, u, o)
}

// request sends a request and reads the beginning of a document, since some errors show only there.
func (p *probe) request(op fetch.Op) (*fetch.Document, error) {
	d, err := p.get(op)
	if err != nil {
		return d, ignoreSession(err)
	}
	defer d.Body.Close()
	if op == fetch.Metadata {
		return d, nil
	}
	if d.Entries != nil {
		for _, err := range d.Entries {
			return d, ignoreSession(err)
		}
		return d, nil
	}
	return d, ignoreSession(begin(d.Body))
}

// begin reads the first byte, if there is one.
func begin(r io.Reader) error {
	var first [1]byte
	if _, err := io.ReadFull(r, first[:]); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// ignoreSession returns nil for a session: a host that shows its first screen works.
func ignoreSession(err error) error {
	if errors.Is(err, fetch.ErrInteractive) {
		return nil
	}
	return err
}

// hasPart reports whether the fragment names something that can be looked for. Fragments of other media types mean something only to their
// viewers.
func hasPart(d *fetch.Document) bool {
	part, f := d.Fragment, formatOfDocument(d)
	switch {
	case f.Anchors != nil && f.Markup:
		return part != "" && !isForViewers(part)
	case f.Anchors != nil && part != "" && !isLineOfCode(part):
		return true
	}
	return strings.HasPrefix(d.Type, "text/") && (strings.HasPrefix(part, "line=") || strings.HasPrefix(part, "char="))
}

// isForViewers reports whether browsers handle a fragment although the page has no such part (HTML section 7.4.6.4).
func isForViewers(f string) bool { return strings.EqualFold(f, "top") || strings.HasPrefix(f, ":~:") }

// findPart looks for the part that the fragment names.
func (p *probe) findPart() error {
	d := p.pages.find(p.uri)
	if d == nil {
		var err error
		if d, err = p.get(fetch.Retrieve); err != nil {
			return err
		}
		p.pages.keep(p.uri, d)
	}
	defer d.Body.Close()
	if f := formatOfDocument(d); f.Anchors != nil && !f.Markup {
		return findAnchor(f.Anchors(d.Body), d.Fragment)
	}
	if err := fragment.Cut(d); err != nil {
		return err
	}
	return begin(d.Body)
}

// findAnchor looks for the anchor of a text that will become a page. Capital letters do not matter, since the sites that show such texts do not
// distinguish them.
func findAnchor(names iter.Seq2[string, error], written string) error {
	part, err := uri.FragmentText.Unescape(uri.Escaped(written))
	if err != nil {
		return fetch.Errorf(fetch.ErrRefusedURL, "fragment #%s: %w", written, err)
	}
	for name, err := range names {
		if err != nil || strings.EqualFold(name, part) {
			return err
		}
	}
	return fetch.Errorf(fetch.ErrNotFound, "the text has no heading or anchor #%s", part)
}

// isLineOfCode reports whether a fragment names lines of a source text, as code hosts do: L10, L10-L20.
func isLineOfCode(f string) bool {
	return len(f) > 1 && f[0] == 'L' && strings.Trim(f, "L0123456789-C") == ""
}

// isLocalNews reports whether a news URI names no host, and the network has none that is called "news": see news.Config.
func isLocalNews(r *Result) bool {
	_, named := r.URI.Authority()
	dns, isDNS := errors.AsType[*net.DNSError](r.Err)
	return !named && isDNS && dns.Name == "news"
}

// verdictOf returns the verdict for a result.
func verdictOf(r *Result) Verdict {
	if r.Suspect != "" {
		return Suspect
	}
	switch fetch.KindOf(r.Err) {
	case fetch.ErrNotFound:
		if s := r.URI.Scheme(); s == "mailto" || s == "mid" || s == "cid" {
			return NotCheckable // a message that is not in the user's mail may exist elsewhere
		}
	case fetch.ErrUnsupported:
		return NotCheckable
	case fetch.ErrAuth, fetch.ErrRefused, fetch.ErrDenied, fetch.ErrRefusedPort:
		return Denied
	case fetch.ErrDNS:
		if isLocalNews(r) {
			return NotCheckable
		}
		return Unreachable
	case fetch.ErrConnect, fetch.ErrConnection, fetch.ErrTimeout, fetch.ErrTLS, fetch.ErrUnavailable:
		return Unreachable
	case fetch.ErrRedirect:
		if e, ok := errors.AsType[*fetch.Error](r.Err); ok && e.NotFollowed && !r.Final.IsZero() {
			return Redirected
		}
		return Broken // a loop, or too many redirects
	case fetch.ErrLocal:
		if socket.IsExhausted(r.Err) {
			return Unreachable
		}
		return NotCheckable // no mail source is configured, or the file system is not mounted
	}
	switch {
	case errors.Is(r.Err, context.Canceled) || errors.Is(r.Err, context.DeadlineExceeded):
		return NotCheckable
	case r.Err != nil:
		return Broken
	case !r.Final.IsZero():
		return Redirected
	}
	return OK
}
