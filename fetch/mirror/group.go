package mirror

import (
	"context"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// group visits the articles of a newsgroup after the last one that an earlier Run has seen, or the groups of a server.
func (v *visit) group() error {
	p := pathOf(v.uri)
	if len(p.dirs) == 0 || strings.ContainsAny(p.dirs[0], "*?[") || v.options.DryRun {
		return v.list(v.uri)
	}
	high := int64(0)
	known, ok, err := v.manifest.byURI(key(v.uri))
	if err != nil {
		return err
	}
	if ok && known.Kind == Group && (v.note.High == 0 || v.note.High >= known.High) { // a smaller number means that the group was recreated
		high = known.High
	}
	if high > 0 && high == v.note.High {
		v.report(Event{URI: v.uri, Did: Unchanged})
		return nil
	}
	u := v.uri
	if high > 0 {
		if after, ok := v.articlesAfter(p.dirs[0], high); ok {
			u = after
		}
	}
	v.high = max(high, v.note.High)
	if err := v.list(u); err != nil {
		return err
	}
	if v.high == high {
		return nil
	}
	return v.manifest.add(Record{URI: key(v.uri), Kind: Group, High: high, Seen: v.high, Time: v.now()})
}

// commitGroups records that the articles listed by this Run have been saved.
func (m *mirror) commitGroups(ctx context.Context) error {
	return m.manifest.eachOf(context.WithoutCancel(ctx), func(r Record) error {
		u, err := uri.Parse(r.URI)
		if err != nil || r.Seen == 0 {
			return nil
		}
		if ours, err := m.frontier.Has(u); !ours || err != nil {
			return err // it belongs to another root
		}
		r.High, r.Seen = r.Seen, 0
		return m.manifest.add(r)
	}, Group)
}

// articlesAfter returns the URI of a group's articles after a number. Only the nntp scheme has ranges.
func (v *visit) articlesAfter(group string, high int64) (uri.URI, bool) {
	scheme := "nntp"
	if s := v.uri.Scheme(); s == "snews" || s == "nntps" {
		scheme = "nntps"
	}
	a, ok := v.uri.Authority()
	if !ok {
		return uri.URI{}, false
	}
	u, err := uri.Parse(scheme + "://" + string(a) + "/" + string(uri.Segment.Escape(uri.RFC3986, group)) + "/" +
		strconv.FormatInt(high+1, 10) + "-")
	return u, err == nil
}

// byNumber returns the URI of an article by its number on the server, if known. The mirror names articles by it.
func byNumber(e fetch.Entry) uri.URI {
	if u, err := uri.Parse(e.Value("nntp")); err == nil && u.IsAbs() {
		return u
	}
	return e.URI
}

// number returns a numeric attribute of an entry, or 0.
func number(e fetch.Entry, attr string) int64 {
	n, err := strconv.ParseInt(e.Value(attr), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
