package news

import (
	"bytes"
	"cmp"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/schemes/internal/maildoc"
)

// selects reports whether an article is requested.
func (r *run) selects(a stored) bool {
	if r.Group == nil || a.group != string(*r.Group) {
		return false
	}
	if r.First != nil && a.number < *r.First || r.Last != nil && a.number > *r.Last {
		return false
	}
	return r.wants(a.header.Get("Date"))
}

func (r *run) storedArticle(all iter.Seq2[stored, error]) (*fetch.Document, error) {
	a, found, err := r.find(all)
	if err != nil {
		return nil, err
	}
	if found {
		return r.storedDocument(a, a.id())
	}
	if d := r.archiveReferrals(reply{code: 430}); d != nil {
		return d, nil
	}
	return nil, r.notReceived()
}

// find returns the article that the URI names.
func (r *run) find(all iter.Seq2[stored, error]) (a stored, found bool, err error) {
	for a, err := range all {
		if err != nil || r.MessageID != nil && a.id() == string(*r.MessageID) || r.MessageID == nil && r.selects(a) {
			return a, err == nil, err
		}
	}
	return a, false, nil
}

func (r *run) notReceived() error {
	return fetch.Errorf(fetch.ErrNotFound, "no such article in the local source: %s", r.lookupName())
}

// id returns the article's message-id without its brackets.
func (a *stored) id() string {
	id, _ := cutID(a.header.Get("Message-Id"))
	return id
}

func (r *run) storedDocument(a stored, id string) (*fetch.Document, error) {
	d, err := r.storedText(a, id)
	if err != nil || d.Type != articleType || r.plan.Options.Op == fetch.Metadata || r.command != "article" {
		return d, err
	}
	return r.onlyPart(d)
}

// storedText returns the article, or the part of it that news.command names.
func (r *run) storedText(a stored, id string) (*fetch.Document, error) {
	d := r.newArticle(id)
	d.End = fetch.EndDeclared
	maildoc.SetFields(d, a.header)
	if r.plan.Options.Op == fetch.Metadata || r.command == "stat" {
		return d, nil
	}
	if r.command == "head" {
		head := a.head
		if n := len(head) - len("\r\n"); n == 0 || bytes.HasSuffix(head, []byte("\r\n\r\n")) {
			head = head[:n] // without the empty line
		}
		d.Body = io.NopCloser(bytes.NewReader(head))
		return d, nil
	}
	f, err := a.Open()
	if err = r.storeError(err); err != nil {
		return nil, err
	}
	in := lineproto.NewLineReader(f)
	d.Body = fetch.NewBody(in, f.Close)
	if r.command == "body" {
		if _, err := io.CopyN(io.Discard, in, int64(len(a.head))); err != nil {
			f.Close()
			return nil, r.storeError(err)
		}
		d.Type, d.TypeReason = "text/plain", "the body of an article"
		return d, nil
	}
	maildoc.List(d, r.env.Limits().Nesting, r.linksOf, r.partEntry)
	return d, nil
}

// storedGroup returns the articles of a group or range as a listing or mailbox.
func (r *run) storedGroup(all iter.Seq2[stored, error]) (*fetch.Document, error) {
	list, known, err := r.selected(all)
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, fetch.Errorf(fetch.ErrNotFound, "no such group in the local source: %s", *r.Group)
	}
	if r.plan.Options.Op == fetch.Metadata {
		d := fetch.NewDocument(nil)
		d.Type, d.TypeReason = fetch.ListingType, "a newsgroup"
		d.Header.Set("Articles", strconv.Itoa(len(list)))
		return d, nil
	}
	if r.mbox {
		return r.storedMailbox(list)
	}
	entries := []fetch.Entry{}
	for _, a := range list {
		entries = append(entries, r.storedEntry(a))
	}
	return listOf(entries), nil
}

// selected returns the requested articles by number. known reports whether the group has any articles.
func (r *run) selected(all iter.Seq2[stored, error]) (list []stored, known bool, err error) {
	for a, err := range all {
		if err != nil {
			return nil, false, err
		}
		known = known || a.group == string(*r.Group)
		if r.selects(a) {
			a.head = nil
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b stored) int { return cmp.Compare(a.number, b.number) })
	if r.last > 0 {
		list = list[max(0, len(list)-r.last):]
	}
	return list, known, nil
}

// matches reports whether the name of a group matches the wildmat of the URI, if it has one.
func (r *run) matches(group string) bool {
	return r.Group == nil || lineproto.MatchWildmat(string(*r.Group), group)
}

// storedGroups lists the groups of the stored articles.
func (r *run) storedGroups(all iter.Seq2[stored, error]) (*fetch.Document, error) {
	count := map[string]int{}
	for a, err := range all {
		if err != nil {
			return nil, err
		}
		if isWord(a.group) && r.matches(a.group) {
			count[a.group]++
		}
	}
	entries := []fetch.Entry{}
	for _, g := range slices.Sorted(maps.Keys(count)) {
		entries = append(entries, fetch.Entry{URI: r.groupURI(g), Kind: fetch.KindGroup, Title: g, Size: -1,
			Attr: map[string][]string{"group": {g}, "articles": {strconv.Itoa(count[g])}}})
	}
	return listOf(entries), nil
}

// storedEntry returns the listing entry of a stored article.
func (r *run) storedEntry(a stored) fetch.Entry {
	e := r.messageEntry(a.group, a.number, a.header)
	e.Size = a.Size
	return e
}

// storedSince yields the articles of all groups or a wildmat that are late enough, each once.
func (r *run) storedSince(all iter.Seq2[stored, error]) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		isNew := once()
		for a, err := range all {
			if err != nil {
				yield(fetch.Entry{}, err)
				return
			}
			if r.wants(a.header.Get("Date")) && r.matches(a.group) && isNew(a.id()) && !yield(r.storedEntry(a), nil) {
				return
			}
		}
	}
}

// storedThread lists the thread of an article. It reads the store until it finds no more articles of the thread, because answers may come
// before what they answer.
func (r *run) storedThread(all iter.Seq2[stored, error]) (*fetch.Document, error) {
	a, found, err := r.find(all)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, r.notReceived()
	}
	t := newTree(a.header)
	t.answers(nil, a.header)
	for before := -1; before < len(t.known); {
		before = len(t.known)
		for a, err := range all {
			if err == nil {
				err = t.add(r.storedEntry(a))
			}
			if err != nil {
				return nil, err
			}
			if t.by[a.id()] != nil {
				t.answers(nil, a.header)
			}
		}
	}
	t.missing = int64(len(t.known) - len(t.by))
	return t.listing(), nil
}
