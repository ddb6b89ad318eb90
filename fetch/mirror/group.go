package mirror

import (
	"context"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// group takes up the articles of a newsgroup that are behind the last one which an earlier Run has seen, or the groups of a server.
func (v *visit) group() error {
	p := pathOf(v.uri)
	if len(p.folders) == 0 || strings.ContainsAny(p.folders[0], "*?[") {
		return v.list(v.uri)
	}
	if v.options.DryRun {
		return v.list(v.uri)
	}
	high := int64(0)
	known, ok, err := v.manifest.byURI(key(v.uri))
	if err != nil {
		return err
	}
	if ok && known.Kind == Group && (v.note.High == 0 || v.note.High >= known.High) { // a smaller number: the group was made anew
		high = known.High
	}
	if high > 0 && high == v.note.High {
		v.tell(Event{URI: v.uri, Did: Unchanged})
		return nil
	}
	u := v.uri
	if high > 0 {
		if after, ok := v.after(p.folders[0], high); ok {
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
	return v.manifest.add(Record{URI: key(v.uri), Kind: Group, High: high, Seen: v.high, Time: now()})
}

// settleGroups notes that the articles which this Run has listed have come.
func (m *mirror) settleGroups(context.Context) error {
	for r, err := range m.manifest.all() {
		if err == nil && r.Kind == Group && r.Seen > 0 {
			err = m.settle(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *mirror) settle(r Record) error {
	u, err := uri.Parse(r.URI)
	if err != nil {
		return nil
	}
	if ours, err := m.frontier.Has(u); !ours || err != nil {
		return err // of another root
	}
	r.High, r.Seen = r.Seen, 0
	return m.manifest.add(r)
}

// after names the articles of a group behind a number. Only the scheme nntp has ranges.
func (v *visit) after(group string, high int64) (uri.URI, bool) {
	scheme := "nntp"
	if s := v.uri.Scheme(); s == "snews" || s == "nntps" {
		scheme = "nntps"
	}
	a, ok := v.uri.Authority()
	if !ok {
		return uri.URI{}, false
	}
	u, err := uri.Parse(scheme + "://" + string(a) + "/" + string(uri.Segment.Escape(uri.RFC3986, group)) + "/" + strconv.FormatInt(high+1, 10) + "-")
	return u, err == nil
}

// byNumber is the URI of an article on its server, where that is known: it is what articles are called by here.
func byNumber(e fetch.Entry) uri.URI {
	if n := e.Attr["nntp"]; len(n) > 0 {
		if u, err := uri.Parse(n[0]); err == nil {
			return u
		}
	}
	return e.URI
}

// number is an attribute of an entry that is one; 0 if it is none.
func number(e fetch.Entry, attr string) int64 {
	if s := e.Attr[attr]; len(s) > 0 {
		if n, err := strconv.ParseInt(s[0], 10, 64); err == nil {
			return n
		}
	}
	return 0
}
