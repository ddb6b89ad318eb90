package news

import (
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
)

// Bounds of a thread.
const (
	maxThread    = 50_000
	maxGroups    = 50  // groups to search
	maxAncestors = 500 // longer chains of answers are forged
)

// threadListing lists the thread of an article: the articles in its References, and all that refer to one of those, in its groups and in
// the other groups of the thread.
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
			if err != nil { // the other groups may exist
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

// headOfThread reads the header of an article of the thread.
func (r *run) headOfThread() (mimemail.Header, error) {
	step, a, err := r.nextReply()
	switch {
	case err != nil:
		return nil, err
	case a.class() != 2:
		return nil, fail(step, a)
	}
	return r.readHeader()
}

// ancestors requests the heads of the articles that h answers, directly and indirectly, in pipelines. It counts missing ones.
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

// addGroups adds the groups of the fields Newsgroups and Xref to a list.
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

// threadIn adds the thread's articles in the overview of one group. It returns places with their other groups.
func (r *run) threadIn(t *tree, g group, places []string) ([]string, error) {
	for e, err := range r.overEntries(g) {
		if err == nil {
			err = t.add(e)
		}
		if err != nil {
			return places, err
		}
		if t.by[idOf(e)] != nil {
			places = addGroups(places, "", e.Value("xref"))
		}
	}
	return places, nil
}

func idOf(e fetch.Entry) string {
	id, _ := cutID(e.Value("message-id"))
	return id
}
