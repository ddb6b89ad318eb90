package ftp

import (
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/schemes/ftp/listing"
	"example.org/deref/uri"
)

// listing returns the directory whose listing is transferred: its bytes as Body, its lines as Entries.
func (r *retrieval) listing() *fetch.Document {
	b := &body{retrieval: r, want: -1, limit: -1, announced: -1, lists: true}
	d := r.directory(b)
	d.UTF8Entries = true // with ftp.charset
	verb := r.s.ctl.step.Verb
	d.ListWith(entriesOf(d.Base, r.req.names, r.listingOptions(verb)))
	return d
}

func (r *retrieval) emptyListing() *fetch.Document {
	d := r.directory(nil)
	d.Size = 0
	d.Entries = func(func(fetch.Entry, error) bool) {}
	r.finish()
	return d
}

func (r *retrieval) directory(body io.ReadCloser) *fetch.Document {
	d := fetch.NewDocument(body)
	d.Base = r.req.directoryURI(r.plan.URI)
	d.Type, d.TypeReason, d.End = listingType, directoryReason, fetch.EndTerminated
	d.Header.Set("Content-Type", d.Type)
	return d
}

// entriesOf parses a listing into entries whose URIs name exactly those files.
func entriesOf(base uri.URI, n names, o *listing.Options) func(io.Reader) iter.Seq2[fetch.Entry, error] {
	return func(r io.Reader) iter.Seq2[fetch.Entry, error] {
		return func(yield func(fetch.Entry, error) bool) {
			for l, err := range listing.Parse(r, o) {
				if err != nil {
					yield(fetch.Entry{}, err)
					return
				}
				if !yield(entryOf(base, l, n), nil) {
					return
				}
			}
		}
	}
}

func entryOf(base uri.URI, l listing.Line, n names) fetch.Entry {
	kinds := [...]fetch.EntryKind{listing.Unknown: fetch.KindUnknown, listing.File: fetch.KindFile, listing.Dir: fetch.KindDir, listing.Link: fetch.KindLink,
		listing.Special: fetch.KindEntry}
	name, ok := n.fromServer(l.Name)
	e := fetch.Entry{Title: name, Kind: kinds[l.Kind], Size: l.Size, Modified: l.Modified, Precision: l.Exact, Attr: l.Attr}
	e.ZoneUnknown = !l.Zoned && !l.Modified.IsZero()
	if ok || !utf8.ValidString(l.Name) {
		e.Attr = with(e.Attr, "octets", l.Name)
	}
	if l.Target != "" {
		target, _ := n.fromServer(l.Target)
		e.Attr = with(e.Attr, "target", target)
	}
	if l.Kind == listing.Unknown || strings.ContainsAny(l.Name, "\r\n\x00") {
		e.Kind, e.Size = fetch.KindUnknown, -1
		return e
	}
	if !ok {
		name = l.Name
	}
	slash := ""
	if l.Kind == listing.Dir {
		slash, e.Size = "/", -1
	}
	e.URI, _ = uri.Parse(base.String() + string(uri.FTPSegment.Escape(uri.RFC3986, name)) + slash)
	return e
}

func with(m map[string][]string, key, value string) map[string][]string {
	if m == nil {
		m = map[string][]string{}
	}
	m[key] = []string{value}
	return m
}
