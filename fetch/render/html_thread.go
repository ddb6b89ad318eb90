package render

import (
	"slices"
	"strings"

	"example.org/deref/fetch"
)

// Articles are shown below the ones they reply to. Threads are made of at most threadOf articles at a time, and threadDepth deep.
const (
	threadOf    = 2000
	threadDepth = 12
)

// thread shows the held messages as nested lists.
func (p *page) thread() {
	if len(p.held) == 0 {
		return
	}
	if len(p.held) > 1 {
		p.orders(p.held[0])
	}
	below := answers(p.held)
	p.in("<ul class=\"thread\">\n", "</ul>\n")
	for _, i := range below[len(p.held)] {
		p.message(below, i, 1)
	}
	p.held = nil
}

// messageOrders returns the properties by which messages are sorted, and what the links call them.
func messageOrders() []head {
	return []head{{name: "Date", key: SortModified}, {name: "Subject", key: SortName}, {name: "Author", key: SortAuthor}, {name: "Size", key: SortSize}}
}

// isSorted reports whether messages are sorted by a property, and shown as a table.
func (p *page) isSorted() bool {
	return p.o.Sort != nil && slices.ContainsFunc(messageOrders(), func(h head) bool {
		_, order := p.o.Sort(h.key)
		return order != ""
	})
}

// orders shows once, before the messages, the links to their other orders. The heads of a table link to most of them. e is the first message: the
// others have a size if it has one.
func (p *page) orders(e fetch.Entry) {
	if p.o.Sort == nil || p.ordered {
		return
	}
	p.ordered = true
	list := []head{{name: "Threads", key: SortThread}}
	p.in("", "")
	p.put("<nav class=\"pages\" aria-label=\"Order\">")
	if !p.isSorted() {
		p.put("<span>Sort by</span>")
		list = messageOrders()
	}
	for _, h := range list {
		if href, _ := p.o.Sort(h.key); h.key != SortSize || e.Size >= 0 {
			p.put(" <a href=\"%s\">%s</a>", href, h.name)
		}
	}
	p.put("</nav>\n")
}

// message shows a message and its replies.
func (p *page) message(below [][]int, i, depth int) {
	e := p.held[i]
	var here Markup
	if p.o.Here != nil && p.o.Here(e) {
		here = " class=\"here\" aria-current=\"true\""
	}
	p.put("<li%s>%s <small>%s", here, p.link(e), first(e, "from"))
	if when := dateHTML(e); when != "" {
		p.put(" · %s", when)
	}
	p.put("</small>")
	switch {
	case len(below[i]) == 0:
		p.put("</li>\n")
	case depth == threadDepth:
		p.put("</li>\n")
		p.messages(below, below[i], depth)
	default:
		p.put("\n<ul>\n")
		p.messages(below, below[i], depth+1)
		p.put("</ul>\n</li>\n")
	}
}

func (p *page) messages(below [][]int, list []int, depth int) {
	for _, i := range list {
		p.message(below, i, depth)
	}
}

// answers returns the indexes of the replies to each message, and last of the messages that are not replies. A message is a reply only to an
// earlier one, so that References cannot make a circle.
func answers(list []fetch.Entry) [][]int {
	known := make(map[string]int, len(list))
	below := make([][]int, len(list)+1)
	for i, e := range list {
		above := len(list)
		for _, name := range [...]string{"in-reply-to", "references"} { // the last known one is the closest
			for _, id := range strings.Fields(strings.Join(e.Attr[name], " ")) {
				if n, ok := known[id]; ok {
					above = n
				}
			}
		}
		below[above] = append(below[above], i)
		if id := e.Value("message-id"); id != "" {
			known[id] = i
		}
	}
	return below
}

// Threads groups messages by the ones they reply to. The messages of each thread are in the order in which the HTML view shows them.
func Threads(list []fetch.Entry) (threads [][]fetch.Entry) {
	below := answers(list)
	for _, root := range below[len(list)] {
		var thread []fetch.Entry
		for stack := []int{root}; len(stack) > 0; {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			thread = append(thread, list[i])
			for _, reply := range slices.Backward(below[i]) {
				stack = append(stack, reply)
			}
		}
		threads = append(threads, thread)
	}
	return threads
}
