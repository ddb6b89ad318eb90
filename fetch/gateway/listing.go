package gateway

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/render"
)

// Bounds of a listing's page. A page has at most pageBytes of entries, maxRead entries are read to sort or count them, and maxReadBytes to sort
// them.
const (
	pageEntries  = 400
	pageBytes    = 110_000
	maxRead      = 100_000
	maxReadBytes = 64_000_000
)

// A listing is the part of a listing that a page shows, and its order.
type listing struct {
	from int            // the first entry, counted from 1
	by   render.SortKey // "" for the order of the server, or that of the kind of listing
	down bool

	shown int  // entries on the page
	total int  // entries that were read
	more  bool // there are more than those
}

// parseListing reads what spec returns. It ignores what it does not know.
func parseListing(spec string) *listing {
	l := &listing{from: 1}
	for field := range strings.SplitSeq(spec, ",") {
		name, value, _ := strings.Cut(field, "=")
		switch name {
		case "from":
			if n, err := strconv.Atoi(value); err == nil {
				l.from = min(max(1, n), maxRead)
			}
		case "by":
			key, down := strings.CutPrefix(value, "-")
			l.by, l.down = render.SortKey(key), down
		}
	}
	return l
}

// spec returns the listing that begins at an entry, as a part of a path.
func spec(from int, by render.SortKey, down bool) string {
	s := "from=" + strconv.Itoa(from)
	if by == "" {
		return s
	}
	if down {
		by = "-" + by
	}
	return s + ",by=" + string(by)
}

// arrange makes d yield the entries of the page. full reports whether the page is full.
func (l *listing) arrange(d *fetch.Document, full func() bool) {
	entries := d.Entries
	switch kind := mediatype.Essence(d.Type); {
	case kind == "text/gemini": // the order of a text is part of it
	case l.by != "":
		entries = ordered(entries, func(list []fetch.Entry) []fetch.Entry {
			return sortEntries(list, l.by, l.down, isFiles(d.URI.Scheme()))
		})
	case isMail(d.URI.Scheme()):
		entries = ordered(entries, latestMail)
	case kind == "text/x-nntp-overview":
		entries = ordered(entries, latestThreads)
	case isFiles(d.URI.Scheme()):
		entries = ordered(entries, func(list []fetch.Entry) []fetch.Entry { return sortEntries(list, render.SortName, false, true) })
	}
	d.Entries = l.window(entries, full)
}

// window yields the entries of the page, and counts the others.
func (l *listing) window(entries iter.Seq2[fetch.Entry, error], full func() bool) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		for e, err := range entries {
			if err != nil {
				yield(e, err)
				return
			}
			l.total++
			if l.total > maxRead {
				l.total, l.more = maxRead, true
				return
			}
			if l.total < l.from || l.shown == pageEntries || full() {
				continue
			}
			l.shown++
			if !yield(e, nil) {
				return
			}
		}
	}
}

// ordered reads the entries and yields them in another order. An error comes last, after the entries before it.
func ordered(entries iter.Seq2[fetch.Entry, error], order func([]fetch.Entry) []fetch.Entry) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		list, failed := collect(entries)
		for _, e := range order(list) {
			if !yield(e, nil) {
				return
			}
		}
		if failed != nil {
			yield(fetch.Entry{}, failed)
		}
	}
}

// collect returns the entries before an error, up to one more than maxRead. It returns none of a document that is not a listing.
func collect(entries iter.Seq2[fetch.Entry, error]) (list []fetch.Entry, err error) {
	if entries == nil {
		return nil, nil
	}
	left := maxReadBytes
	for e, err := range entries {
		for _, values := range e.Attr {
			for _, v := range values {
				left -= len(v)
			}
		}
		if left -= len(e.Title) + len(e.URI.String()); left < 0 && err == nil {
			err = fetch.Errorf(fetch.ErrLimit, "the first %d MB are sorted, and the listing has more", maxReadBytes/1_000_000)
		}
		if err != nil {
			return list, err
		}
		if list = append(list, e); len(list) > maxRead {
			break
		}
	}
	return list, nil
}

// sortEntries sorts by a property, and by name among equals, or messages by date. Directories of files come first.
func sortEntries(list []fetch.Entry, by render.SortKey, down, files bool) []fetch.Entry {
	names, authors := make(map[string]string, len(list)), map[string]string{}
	for _, e := range list {
		names[e.Title] = sortName(e)
		authors[e.Value("from")] = strings.ToLower(strings.Trim(e.Value("from"), "\" "))
	}
	slices.SortStableFunc(list, func(a, b fetch.Entry) int {
		if dir := b2i(b.Kind == fetch.KindDir) - b2i(a.Kind == fetch.KindDir); files && dir != 0 {
			return dir
		}
		messages := a.Kind == fetch.KindMessage && b.Kind == fetch.KindMessage
		order := 0
		switch by {
		case render.SortSize:
			order = cmp.Compare(a.Size, b.Size)
		case render.SortModified:
			order = a.Modified.Compare(b.Modified)
		case render.SortType:
			order = cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Type, b.Type))
		case render.SortScore, render.SortArticles:
			order = cmp.Compare(numberOf(a, string(by)), numberOf(b, string(by)))
		case render.SortAuthor:
			order = cmp.Compare(authors[a.Value("from")], authors[b.Value("from")])
		case render.SortName:
			if order = cmp.Compare(names[a.Title], names[b.Title]); !messages && order == 0 {
				order = cmp.Compare(a.Title, b.Title)
			}
		}
		if down {
			order = -order
		}
		if messages && order == 0 {
			return a.Modified.Compare(b.Modified)
		}
		return cmp.Or(order, cmp.Compare(names[a.Title], names[b.Title]))
	})
	return list
}

// sortName returns the name by which an entry is sorted. That of a message is its subject without "Re:", so that replies are next to each other.
func sortName(e fetch.Entry) string {
	name := strings.ToLower(e.Title)
	for found := e.Kind == fetch.KindMessage; found; {
		name, found = strings.CutPrefix(strings.TrimLeft(name, " "), "re:")
	}
	return name
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// numberOf returns the number in an attribute, or -1.
func numberOf(e fetch.Entry, name string) int64 {
	n, err := strconv.ParseInt(e.Value(name), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// latestThreads sorts the articles of a group: the threads with the latest articles come first, and each in its own order.
func latestThreads(list []fetch.Entry) []fetch.Entry {
	threads := render.Threads(list)
	slices.SortStableFunc(threads, func(a, b []fetch.Entry) int { return cmp.Compare(latest(b), latest(a)) })
	return slices.Concat(threads...)
}

// latest returns the time of the latest article of a thread, 0 for none after 1970.
func latest(thread []fetch.Entry) (at int64) {
	for _, e := range thread {
		at = max(at, e.Modified.Unix())
	}
	return at
}

// sortHref returns render.Options.Sort: links to the sorted listing, which turn the present order around.
func (l *listing) sortHref(href func(spec string) string) func(render.SortKey) (string, string) {
	return func(key render.SortKey) (string, string) {
		switch {
		case key == render.SortThread:
			return href(spec(1, "", false)), ""
		case key != l.by:
			first := key == render.SortSize || key == render.SortModified || key == render.SortScore || key == render.SortArticles
			return href(spec(1, key, first)), "" // numbers: the largest first
		case l.down:
			return href(spec(1, key, false)), "descending"
		}
		return href(spec(1, key, true)), "ascending"
	}
}

// pages writes the links to the other pages of a listing.
func (p *page) pages(l *listing, href func(spec string) string) {
	last := l.from + l.shown - 1
	if l.from == 1 && last >= l.total && !l.more {
		return
	}
	about := strconv.Itoa(l.total)
	if l.more {
		about = "more than " + about
	}
	p.put("<nav class=\"pages\" aria-label=\"Pages\"><span>%d–%d of %s</span>", l.from, last, about)
	link := func(name string, rel render.Markup, from int) {
		p.put(" <a%s href=\"%s\">%s</a>", rel, href(spec(from, l.by, l.down)), name)
	}
	if l.from > 1 {
		link("First", "", 1)
		link("Previous", " rel=\"prev\"", max(1, l.from-pageEntries))
	}
	if last < l.total {
		link("Next", " rel=\"next\"", last+1)
		if final := 1 + (l.total-1)/pageEntries*pageEntries; final > last+1 {
			link("Last", "", final)
		}
	}
	p.put("</nav>\n")
}
