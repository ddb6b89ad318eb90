package check

import (
	"context"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A Copy is an archived copy of a document that is gone.
type Copy struct {
	URI  uri.URI
	Time time.Time // when it was archived, zero if unknown
}

// IsDead reports whether the result is that of a document that no longer exists at its URI, so that a copy of it is worth looking for.
func (r *Result) IsDead() bool {
	return !r.URI.IsZero() && (r.Verdict == Broken && fetch.KindOf(r.Err) == fetch.ErrNotFound || r.Verdict == Unreachable && fetch.KindOf(r.Err) == fetch.ErrDNS)
}

// A TimeGate finds copies by the Memento protocol (RFC 7089). Its zero value is not useful.
type TimeGate struct {
	Client fetch.Getter
	Base   string // the URI of the TimeGate, to which that of a document is appended; or with {uri}, where it is inserted with its reserved characters escaped
}

// Find returns the latest copy of the document of u. It returns ErrNotFound if the archive has none.
func (g *TimeGate) Find(ctx context.Context, u uri.URI) (Copy, error) {
	name := u.WithoutUserinfo().WithoutFragment().String()
	text := g.Base + name
	if strings.Contains(g.Base, "{uri}") {
		text = strings.ReplaceAll(g.Base, "{uri}", string(uri.AllButUnreserved.Escape(uri.RFC3986, name)))
	}
	at, err := uri.Parse(text)
	if err != nil {
		return Copy{}, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	d, err := g.Client.Get(ctx, at, &fetch.Options{Op: fetch.Metadata})
	if d != nil {
		defer d.Body.Close()
	}
	if err != nil {
		return Copy{}, err
	}
	made, err := time.Parse(time.RFC1123, d.Header.Get("Memento-Datetime")) // RFC 7089 section 2.1.1: every memento has it
	if err != nil {
		return Copy{}, fetch.Errorf(fetch.ErrNotFound, "%s returned no memento", at.Redacted(nil))
	}
	return Copy{d.URI, made}, nil
}

// A LocalArchive finds copies in archives on this machine: Client dereferences from them alone (warc.Archive.Schemes).
type LocalArchive struct{ Client fetch.Getter }

// Find returns the copy of the document of u. It returns ErrNotFound if the archive has none.
func (a *LocalArchive) Find(ctx context.Context, u uri.URI) (Copy, error) {
	d, err := a.Client.Get(ctx, u.WithoutUserinfo().WithoutFragment(), nil)
	if d != nil {
		defer d.Body.Close()
	}
	if err != nil {
		return Copy{}, err
	}
	made, _ := time.Parse(time.RFC1123, d.Header.Get("Date"))
	return Copy{d.URI, made}, nil
}
