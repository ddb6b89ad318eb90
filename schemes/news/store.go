package news

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/crlf"
	"example.org/deref/schemes/internal/mailstore"
	"example.org/deref/schemes/internal/wildmat"
)

// A stored article is one of "a body of news articles already received".
type stored struct {
	open     func() (io.ReadCloser, error)
	size     int64
	modified time.Time
	group    string // of a spool, else of the Newsgroups field
	number   int64  // of a spool's file, else its place in the group
	head     []byte // with CR LF
	header   mimemail.Header
}

// look carries out the one step of a plan without a server.
func (r *run) searchStore() (*fetch.Document, error) {
	step := r.plan.When("")[0]
	if err := r.env.Announce(step); err != nil {
		return nil, err
	}
	all := r.articles(step.Args[0])
	switch {
	case r.thread:
		return r.storedThread(all)
	case (r.What == whatAll || r.What == whatWildmat) && !r.since.IsZero():
		return fetch.NewListing(r.storedSince(all)), nil
	case r.What == whatAll || r.What == whatWildmat:
		return r.storedGroups(all)
	case r.What == whatGroup || r.What == whatRange:
		return r.storedGroup(all)
	}
	return r.storedArticle(all)
}

// articles yields those of a store, each once for each of its groups.
func (r *run) articles(source string) iter.Seq2[stored, error] {
	kind, name, _ := strings.Cut(source, ":")
	if kind == "spool" {
		return r.spool(name)
	}
	return func(yield func(stored, error) bool) {
		count := map[string]int64{}
		for m, err := range mailstore.Messages(source) {
			if err = r.storeError(err); err != nil {
				yield(stored{}, err)
				return
			}
			a := stored{open: m.Open, size: m.Size, modified: m.Modified}
			if err := a.readHead(r.env.Limits()); err != nil {
				yield(a, err)
				return
			}
			for group := range strings.SplitSeq(a.header.Get("Newsgroups"), ",") {
				a.group = strings.TrimSpace(group)
				count[a.group]++
				a.number = count[a.group]
				if !yield(a, nil) {
					return
				}
			}
		}
	}
}

// living gives the errors of a store their kind, and ends with the request.
func (r *run) storeError(err error) error {
	switch {
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		return fetch.Errorf(fetch.ErrLocal, "the store is not there: %w", err)
	case err != nil:
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return nil
}

// spool yields the articles of a news spool: a folder for each group, called by its name or by its parts ("comp/lang/c"), and in it a
// file for each number. Nothing outside the folder is reached, by links neither.
func (r *run) spool(dir string) iter.Seq2[stored, error] {
	return func(yield func(stored, error) bool) {
		root, err := os.OpenRoot(dir)
		if err = r.storeError(err); err != nil {
			yield(stored{}, err)
			return
		}
		defer root.Close()
		err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
			if err = r.storeError(err); err != nil {
				return err
			}
			group := strings.ReplaceAll(path.Dir(name), "/", ".")
			n, ok := number(d.Name())
			switch {
			case d.IsDir() && name != "." && r.cannotHold(strings.ReplaceAll(name, "/", ".")):
				return fs.SkipDir
			case !ok || !d.Type().IsRegular() || group == ".":
				return nil
			}
			a := stored{group: group, number: n, open: func() (io.ReadCloser, error) { return os.OpenInRoot(dir, name) }}
			if fi, err := d.Info(); err == nil {
				a.size, a.modified = fi.Size(), fi.ModTime()
			}
			if err := a.readHead(r.env.Limits()); err != nil {
				return r.storeError(err)
			}
			if !yield(a, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield(stored{}, err)
		}
	}
}

// outside reports whether neither the wanted group nor a part of its hierarchy can be in a folder.
func (r *run) cannotHold(folder string) bool {
	if r.Group == nil || r.What == whatWildmat {
		return false
	}
	g := string(*r.Group)
	return folder != g && !strings.HasPrefix(g, folder+".")
}

// readHead reads the header.
func (a *stored) readHead(l fetch.Limits) error {
	f, err := a.open()
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReader(crlf.NewReader(f))
	for {
		line, err := in.ReadSlice('\n')
		a.head = append(a.head, line...)
		switch {
		case err == bufio.ErrBufferFull, err == nil && len(line) > 2:
		case err == nil || err == io.EOF:
			a.header = mimemail.ParseHeader(a.head)
			return nil
		default:
			return err
		}
		if l.Reply > 0 && len(a.head) > l.Reply {
			return fetch.Errorf(fetch.ErrLimit, "the header of a stored article is longer than %d octets", l.Reply)
		}
	}
}

// in reports whether an article is one of those that are wanted.
func (r *run) selects(a stored) bool {
	if r.Group == nil || a.group != string(*r.Group) {
		return false
	}
	if r.First != nil && a.number < *r.First || r.Last != nil && a.number > *r.Last {
		return false
	}
	return r.since.IsZero() || !parseDate(a.header.Get("Date")).Before(r.since)
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

// find looks for the one article that the URI names.
func (r *run) find(all iter.Seq2[stored, error]) (a stored, found bool, err error) {
	for a, err := range all {
		if err != nil || r.MessageID != nil && a.id() == string(*r.MessageID) || r.MessageID == nil && r.selects(a) {
			return a, err == nil, err
		}
	}
	return a, false, nil
}

func (r *run) notReceived() error {
	return fetch.Errorf(fetch.ErrNotFound, "%s is not among the articles already received", r.lookupName())
}

// id is the article's message-id, without its brackets.
func (a *stored) id() string {
	id, _ := cutID(strings.TrimSpace(a.header.Get("Message-Id")))
	return id
}

func (r *run) storedDocument(a stored, id string) (*fetch.Document, error) {
	d, err := r.storedText(a, id)
	if err != nil || d.Type != articleType || r.plan.Options.Op == fetch.Metadata || r.command != "article" {
		return d, err
	}
	return r.onlyPart(d)
}

// storedText is the whole article, or what the command wants of it.
func (r *run) storedText(a stored, id string) (*fetch.Document, error) {
	d := fetch.NewDocument(nil)
	d.Type, d.TypeReason, d.End, d.Base = articleType, "an article", fetch.EndDeclared, r.base(id)
	setFields(d, a.header)
	if id != "" {
		d.Validator = fetch.Validator{Tag: "<" + id + ">"}
	}
	if r.plan.Options.Op == fetch.Metadata || r.command == "stat" {
		return d, nil
	}
	if r.command == "head" {
		d.Body = io.NopCloser(bytes.NewReader(headOf(a.head)))
		return d, nil
	}
	f, err := a.open()
	if err = r.storeError(err); err != nil {
		return nil, err
	}
	in := crlf.NewReader(f)
	if r.command == "body" {
		if _, err := io.CopyN(io.Discard, in, int64(len(a.head))); err != nil {
			f.Close()
			return nil, r.storeError(err)
		}
		d.Type, d.TypeReason = "text/plain", "the body of an article"
		d.Body = file{in, f}
		return d, nil
	}
	d.Body = file{in, f}
	d.ListWith(r.contents(d, a.header))
	return d, nil
}

// file is a Body from a reader and what is closed for it.
type file struct {
	io.Reader
	io.Closer
}

// storedGroup lists the articles of a group or range; as a mailbox where that is wanted.
func (r *run) storedGroup(all iter.Seq2[stored, error]) (*fetch.Document, error) {
	list, known, err := r.selected(all)
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, fetch.Errorf(fetch.ErrNotFound, "no article already received is of the group %s", *r.Group)
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
	return fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
		for _, a := range list {
			if !yield(r.storedEntry(a), nil) {
				return
			}
		}
	}), nil
}

// chosen are the articles that are wanted, by number; known tells whether the group has any at all.
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
	slices.SortStableFunc(list, func(a, b stored) int { return int(min(max(a.number-b.number, -1), 1)) })
	if r.last > 0 {
		list = list[max(0, len(list)-int(r.last)):]
	}
	return list, known, nil
}

// storedGroups lists the groups that there are articles of.
func (r *run) storedGroups(all iter.Seq2[stored, error]) (*fetch.Document, error) {
	count := map[string]int{}
	for a, err := range all {
		if err != nil {
			return nil, err
		}
		if isWord(a.group) && (r.Group == nil || wildmat.Match(string(*r.Group), a.group)) {
			count[a.group]++
		}
	}
	names := make([]string, 0, len(count))
	for g := range count {
		names = append(names, g)
	}
	slices.Sort(names)
	return fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
		for _, g := range names {
			e := fetch.Entry{URI: r.groupURI(g), Kind: fetch.KindGroup, Title: g, Size: -1, Attr: map[string][]string{"group": {g}, "articles": {strconv.Itoa(count[g])}}}
			if !yield(e, nil) {
				return
			}
		}
	}), nil
}
