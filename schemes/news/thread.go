package news

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
)

// Bounds of a thread.
const (
	maxThread    = 50_000
	maxGroups    = 50  // groups that it is looked for in
	maxAncestors = 500 // longer lines of answers are made up
)

// threadListing lists the thread that an article is in: what its References name, and all that refers to one of those, in its groups and
// in those that the others of the thread were posted to as well.
func (r *run) threadListing() (*fetch.Document, error) {
	var places []string
	var g group
	var err error
	if r.Group != nil {
		if g, err = r.readGroup(); err != nil {
			return nil, err
		}
		places = append(places, g.name)
	}
	h, err := r.headOfThread()
	if err != nil {
		return nil, err
	}
	t, entered := newTree(h), false
	refused := error(fetch.Errorf(fetch.ErrNotFound, "the article names no group"))
	places = addGroups(places, h.Get("Newsgroups"), h.Get("Xref"))
	if places, err = r.ancestors(t, h, places); err != nil {
		return nil, err
	}
	for i := 0; i < len(places); i++ {
		if i > 0 || r.Group == nil {
			r.s.enqueue(r.groupStep(places[i]))
			if g, err = r.readGroup(); err != nil && r.s.broken != nil {
				return nil, err
			}
			if err != nil { // the others may be there
				refused = err
				continue
			}
		}
		entered = true
		if places, err = r.threadIn(t, g, places); err != nil {
			return nil, err
		}
	}
	if !entered {
		return nil, refused
	}
	r.release()
	return t.listing(), nil
}

// headOfThread hears the header of an article of the thread.
func (r *run) headOfThread() (mimemail.Header, error) {
	step, a, err := r.nextReply()
	switch {
	case err != nil:
		return nil, err
	case a.class() != 2:
		return nil, fail(step, a)
	}
	b := &body{text: newText(r.s.wire, nil)}
	if err := b.readHead(r.env.Limits()); err != nil {
		return nil, r.end(err)
	}
	return mimemail.ParseHeader(b.ahead), r.end(b.rest())
}

// ancestors asks for the articles that one answers, and for those that they answer, in flights. Those that are gone are the thread's gaps.
func (r *run) ancestors(t *tree, h mimemail.Header, places []string) ([]string, error) {
	for todo := t.answers(nil, h); len(todo) > 0; {
		batch := todo[:min(len(todo), maxCommands)]
		todo = todo[len(batch):]
		for _, id := range batch {
			s := r.plan.When(ifAnswers)[0]
			s.Args = []string{"<" + id + ">"}
			r.s.enqueue(s)
		}
		for range batch {
			h, err := r.headOfThread()
			switch {
			case err == nil:
				places = addGroups(places, h.Get("Newsgroups"), h.Get("Xref"))
				todo = t.answers(todo, h)
			case r.s.broken != nil:
				return places, err
			default:
				t.missing++
			}
		}
	}
	return places, nil
}

// placesOf adds to a list of groups those of the fields Newsgroups and Xref.
func addGroups(list []string, newsgroups, xref string) []string {
	add := func(name string) {
		if name = strings.TrimSpace(name); isWord(name) && len(list) < maxGroups && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	for name := range strings.SplitSeq(newsgroups, ",") {
		add(name)
	}
	for name := range xrefs(xref) {
		add(name)
	}
	return list
}

// threadIn takes the thread's articles out of the overview of one group. It returns places with the other groups that they are in.
func (r *run) threadIn(t *tree, g group, places []string) ([]string, error) {
	for e, err := range r.overEntries(g) {
		if err == nil {
			err = t.take(e)
		}
		if err != nil {
			return places, err
		}
		if t.by[idOf(e)] != nil {
			places = addGroups(places, "", first(e.Attr["xref"]))
		}
	}
	return places, nil
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func idOf(e fetch.Entry) string {
	id, _ := cutID(first(e.Attr["message-id"]))
	return id
}

// tree is a thread, of which more and more becomes known.
type tree struct {
	known   map[string]bool // message-ids of the thread, whether they are there or not
	by      map[string]*node
	all     []*node
	missing int64 // articles that were answered and are gone
}

// newTree begins with an article.
func newTree(h mimemail.Header) *tree {
	t := &tree{known: map[string]bool{}, by: map[string]*node{}}
	if own, ok := cutID(strings.TrimSpace(h.Get("Message-Id"))); ok {
		t.known[own] = true
	}
	return t
}

// answers adds to a list the articles which one answers that are new, as long as there are not too many.
func (t *tree) answers(list []string, h mimemail.Header) []string {
	for id := range references(h.Get("References")) {
		if !t.known[id] && len(t.known) < maxAncestors {
			t.known[id] = true
			list = append(list, id)
		}
	}
	return list
}

// take adds an article if it belongs to the thread.
func (t *tree) take(e fetch.Entry) error {
	id, refs := idOf(e), slices.Collect(references(first(e.Attr["references"])))
	if id == "" || !t.known[id] && !slices.ContainsFunc(refs, func(ref string) bool { return t.known[ref] }) {
		return nil
	}
	if len(t.known) > maxThread {
		return fetch.Errorf(fetch.ErrLimit, "the thread has more than %d articles", maxThread)
	}
	t.known[id] = true
	t.add(id, refs, e)
	return nil
}

func (t *tree) listing() *fetch.Document {
	list := t.order()
	d := fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	})
	d.Missing = t.missing
	return d
}

type node struct {
	id      string
	refs    []string
	entry   fetch.Entry
	answers []*node
	done    bool
}

func (t *tree) add(id string, refs []string, e fetch.Entry) {
	n := &node{id: id, refs: refs, entry: e}
	if t.by[id] == nil {
		t.by[id] = n
		t.all = append(t.all, n)
	}
}

// order puts each article behind the one that it answers: the last of its References that is there. References can be made to go
// in a circle; each article comes once all the same.
func (t *tree) order() (out []fetch.Entry) {
	var roots []*node
	for _, n := range t.all {
		var parent *node
		for _, ref := range slices.Backward(n.refs) {
			if p := t.by[ref]; p != nil && p != n {
				parent = p
				break
			}
		}
		if parent == nil {
			roots = append(roots, n)
		} else {
			parent.answers = append(parent.answers, n)
		}
	}
	type place struct {
		*node
		depth  int
		parent string
	}
	var stack []place
	push := func(list []*node, depth int, parent string) {
		for _, n := range slices.Backward(list) {
			stack = append(stack, place{n, depth, parent})
		}
	}
	push(append(roots, t.all...), 0, "")
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if p.done {
			continue
		}
		p.done = true
		e := p.entry
		e.Attr = maps.Clone(e.Attr)
		e.Attr["depth"] = []string{strconv.Itoa(p.depth)}
		if p.parent != "" {
			e.Attr["parent"] = []string{"<" + p.parent + ">"}
		}
		out = append(out, e)
		push(p.answers, p.depth+1, p.id)
	}
	return out
}
