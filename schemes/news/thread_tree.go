package news

import (
	"maps"
	"slices"
	"strconv"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
)

// A tree is a thread while it is collected.
type tree struct {
	known   map[string]bool // message-ids of the thread, found or not
	by      map[string]*node
	all     []*node
	missing int64 // articles that were answered but do not exist
}

// newTree returns a tree with one article.
func newTree(h mimemail.Header) *tree {
	t := &tree{known: map[string]bool{}, by: map[string]*node{}}
	if own, ok := cutID(h.Get("Message-Id")); ok {
		t.known[own] = true
	}
	return t
}

// answers appends to list the articles that h answers, unless they are known or too many.
func (t *tree) answers(list []string, h mimemail.Header) []string {
	for id := range references(h.Get("References")) {
		if !t.known[id] && len(t.known) < maxAncestors {
			t.known[id] = true
			list = append(list, id)
		}
	}
	return list
}

// add adds an article if it belongs to the thread.
func (t *tree) add(e fetch.Entry) error {
	id, refs := idOf(e), slices.Collect(references(e.Value("references")))
	if id == "" || !t.known[id] && !slices.ContainsFunc(refs, func(ref string) bool { return t.known[ref] }) {
		return nil
	}
	if len(t.known) > maxThread {
		return fetch.Errorf(fetch.ErrLimit, "the thread has more than %d articles", maxThread)
	}
	t.known[id] = true
	t.insert(id, refs, e)
	return nil
}

func (t *tree) listing() *fetch.Document {
	d := listOf(t.order())
	d.Missing = t.missing
	return d
}

// listOf returns a listing of entries.
func listOf(list []fetch.Entry) *fetch.Document {
	return fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	})
}

type node struct {
	id      string
	refs    []string
	entry   fetch.Entry
	answers []*node
	done    bool
}

func (t *tree) insert(id string, refs []string, e fetch.Entry) {
	n := &node{id: id, refs: refs, entry: e}
	if t.by[id] == nil {
		t.by[id] = n
		t.all = append(t.all, n)
	}
}

// order puts each article after the one that it answers: the last of its References that exists. References can form a circle; each
// article is listed once all the same.
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
