package news

import (
	"cmp"
	"errors"
	"io/fs"
	"iter"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/schemes/internal/mailstore"
)

// A stored article belongs to "a body of news articles already received".
type stored struct {
	mailstore.Message
	group  string // of the spool directory, or of Newsgroups
	number int64  // of the spool file, or the position in the group
	head   []byte // with CRLF
	header mimemail.Header
}

// searchStore carries out the only step of a plan without a server.
func (r *run) searchStore() (*fetch.Document, error) {
	step := r.plan.When("")[0]
	if err := r.env.Announce(step); err != nil {
		return nil, err
	}
	all := r.articles(step.Args[0])
	switch {
	case r.thread:
		return r.storedThread(all)
	case r.isGroups() && !r.since.IsZero():
		return fetch.NewListing(r.storedSince(all)), nil
	case r.isGroups():
		return r.storedGroups(all)
	case r.What == whatGroup || r.What == whatRange:
		return r.storedGroup(all)
	}
	return r.storedArticle(all)
}

// articles yields the articles of a store, once for each of their groups.
func (r *run) articles(source string) iter.Seq2[stored, error] {
	return func(yield func(stored, error) bool) {
		count := map[string]int64{}
		for f, err := range mailstore.Folders(source, r.mayHold) {
			if err = r.storeError(err); err != nil {
				yield(stored{}, err)
				return
			}
			for m, err := range f.Messages() {
				a := stored{Message: m}
				if err == nil {
					if err = a.readHead(r.env.Limits()); errors.Is(err, fs.ErrNotExist) {
						continue // another program has removed it
					}
				}
				if err = r.storeError(err); err != nil {
					yield(a, err)
					return
				}
				groups := []string{f.Name}
				if f.Kind != "spool" {
					groups = strings.Split(a.header.Get("Newsgroups"), ",")
				}
				for _, group := range groups {
					a.group = strings.TrimSpace(group)
					count[a.group]++
					a.number = cmp.Or(m.Number, count[a.group])
					if !yield(a, nil) {
						return
					}
				}
			}
		}
	}
}

// storeError sets the Kind of an error of a store. It returns the context's error if the request has ended.
func (r *run) storeError(err error) error {
	switch {
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		return fetch.Errorf(fetch.ErrLocal, "no such store: %w", err)
	case err != nil && fetch.KindOf(err) == "":
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return err
}

// mayHold reports whether a folder can be the requested group or contain a part of its hierarchy.
func (r *run) mayHold(f mailstore.Folder) bool {
	if r.Group == nil || r.What == whatWildmat || f.Kind != "spool" {
		return true
	}
	g := string(*r.Group)
	return f.Name == g || strings.HasPrefix(g, f.Name+".")
}

// readHead reads the header.
func (a *stored) readHead(l fetch.Limits) error {
	f, err := a.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	a.head, _, err = mailstore.CutHeader(lineproto.NewLineReader(f), l.Reply)
	if err == nil && l.Reply >= 0 && len(a.head) > l.Reply {
		err = fetch.Errorf(fetch.ErrLimit, "the header of a stored article is longer than %d bytes", l.Reply)
	}
	a.header = mimemail.ParseHeader(a.head)
	return err
}
