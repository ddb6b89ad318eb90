package news

import (
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// threadListing lists the thread that an article is in: what its References name, and all in its group that refers to one of those. A
// thread that goes through several groups is seen in the first one that the server has.
func (r *run) threadListing() (*fetch.Document, error) {
	var g group
	var err error
	if r.Group != nil {
		if g, err = r.enter(); err != nil {
			return nil, err
		}
	}
	step, a, err := r.hear()
	if err != nil {
		return nil, err
	}
	if a.class() != 2 {
		return nil, fail(step, a)
	}
	b := &body{text: newText(r.s.wire, nil)}
	if err := b.readHead(r.env.Limits()); err != nil {
		return nil, r.end(err)
	}
	if err := b.rest(); err != nil {
		return nil, r.end(err)
	}
	h := parseHeader(b.ahead)
	if r.Group == nil {
		if g, err = r.enterFirst(h); err != nil {
			return nil, err
		}
	}
	d, err := r.overview(g)
	if err != nil {
		return nil, err
	}
	defer d.Body.Close()
	list, err := threadOf(h, d.Entries)
	if err != nil {
		return nil, err
	}
	return fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}), nil
}

// enterFirst enters the first of an article's groups that the server has.
func (r *run) enterFirst(h header) (g group, err error) {
	step := r.step("GROUP")
	err = fetch.Errorf(fetch.ErrNotFound, "the article names no group")
	for name := range strings.SplitSeq(h.get("Newsgroups"), ",") {
		if name = strings.TrimSpace(name); !isWord(name) {
			continue
		}
		s := step
		s.Args = []string{name}
		r.s.say(s)
		if g, err = r.enter(); err == nil || fetch.KindOf(err) != fetch.ErrNotFound {
			return g, err
		}
	}
	return g, err
}

// maxThread bounds a thread.
const maxThread = 50_000

// threadOf picks an article's thread out of an overview, in the order in which it is read: each article behind the one that it answers.
func threadOf(h header, all iter.Seq2[fetch.Entry, error]) ([]fetch.Entry, error) {
	known := map[string]bool{}
	own, _ := cutID(strings.TrimSpace(h.get("Message-Id")))
	known[own] = own != ""
	for id := range references(h.get("References")) {
		known[id] = true
	}
	t := tree{by: map[string]*node{}}
	for e, err := range all {
		if err != nil {
			return nil, err
		}
		id, refs := idOf(e), slices.Collect(references(first(e.Attr["references"])))
		if id == "" || !known[id] && !slices.ContainsFunc(refs, func(ref string) bool { return known[ref] }) {
			continue
		}
		if len(known) > maxThread {
			return nil, fetch.Errorf(fetch.ErrLimit, "the thread has more than %d articles", maxThread)
		}
		known[id] = true
		t.add(id, refs, e)
	}
	return t.order(), nil
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

// tree is a thread.
type tree struct {
	by  map[string]*node
	all []*node
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
