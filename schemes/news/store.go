package news

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/schemes/internal/mailstore"
)

// A stored article belongs to "a body of news articles already received".
type stored struct {
	open     func() (io.ReadCloser, error)
	size     int64
	modified time.Time
	group    string // of the spool directory, or of Newsgroups
	number   int64  // of the spool file, or the position in the group
	head     []byte // with CRLF
	header   mimemail.Header
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
	case (r.What == whatAll || r.What == whatWildmat) && !r.since.IsZero():
		return fetch.NewListing(r.storedSince(all)), nil
	case r.What == whatAll || r.What == whatWildmat:
		return r.storedGroups(all)
	case r.What == whatGroup || r.What == whatRange:
		return r.storedGroup(all)
	}
	return r.storedArticle(all)
}

// articles yields the articles of a store, once for each of their groups.
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

// storeError sets the Kind of an error of a store. It returns the context's error if the request has ended.
func (r *run) storeError(err error) error {
	switch {
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		return fetch.Errorf(fetch.ErrLocal, "no such store: %w", err)
	case err != nil:
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return nil
}

// spool yields the articles of a news spool: a directory for each group, named after the group or its parts ("comp/lang/c"), with a file
// for each number. It does not leave the directory, not even by links.
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

// cannotHold reports whether a directory can contain neither the requested group nor a part of its hierarchy.
func (r *run) cannotHold(dir string) bool {
	if r.Group == nil || r.What == whatWildmat {
		return false
	}
	g := string(*r.Group)
	return dir != g && !strings.HasPrefix(g, dir+".")
}

// readHead reads the header.
func (a *stored) readHead(l fetch.Limits) error {
	f, err := a.open()
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReader(lineproto.NewLineReader(f))
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
			return fetch.Errorf(fetch.ErrLimit, "the header of a stored article is longer than %d bytes", l.Reply)
		}
	}
}
