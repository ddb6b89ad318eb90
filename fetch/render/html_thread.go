package render

import (
	"strings"

	"example.org/deref/fetch"
)

// Articles are put below what they answer. What belongs together is sought among so many at a time, and shown so deep.
const (
	threadOf    = 2000
	threadDepth = 12
)

// hold keeps a message until its thread is known.
func (p *page) hold(e fetch.Entry) {
	if p.held = append(p.held, e); len(p.held) == threadOf {
		p.thread()
	}
}

// thread shows the messages that were held: lists within lists.
func (p *page) thread() {
	if len(p.held) == 0 {
		return
	}
	below := answers(p.held)
	p.in("<ul class=\"thread\">\n", "</ul>\n")
	for _, i := range below[len(p.held)] {
		p.message(below, i, 1)
	}
	p.held = nil
}

// message shows one, and what answers it.
func (p *page) message(below [][]int, i, depth int) {
	e := p.held[i]
	p.b.WriteString("<li>" + p.link(e) + " <small>" + first(e, "from"))
	if when := dateHTML(e); when != "" {
		p.b.WriteString(" " + when)
	}
	p.b.WriteString("</small>")
	switch {
	case len(below[i]) == 0:
		p.b.WriteString("</li>\n")
	case depth == threadDepth:
		p.b.WriteString("</li>\n")
		p.messages(below, below[i], depth)
	default:
		p.b.WriteString("\n<ul>\n")
		p.messages(below, below[i], depth+1)
		p.b.WriteString("</ul>\n</li>\n")
	}
}

func (p *page) messages(below [][]int, list []int, depth int) {
	for _, i := range list {
		p.message(below, i, depth)
	}
}

// answers returns for each message the numbers of those that answer it, and last of those that answer none. Only what came before can
// be answered, so that nobody's References make a circle.
func answers(list []fetch.Entry) [][]int {
	known := make(map[string]int, len(list))
	below := make([][]int, len(list)+1)
	for i, e := range list {
		above := len(list)
		for _, name := range [...]string{"in-reply-to", "references"} { // the last known one is the nearest
			for _, id := range strings.Fields(strings.Join(e.Attr[name], " ")) {
				if n, ok := known[id]; ok {
					above = n
				}
			}
		}
		below[above] = append(below[above], i)
		if id := e.Attr["message-id"]; len(id) > 0 {
			known[id[0]] = i
		}
	}
	return below
}
