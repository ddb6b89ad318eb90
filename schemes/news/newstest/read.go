package newstest

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

func (x *session) cmdGROUP(args []string) {
	if g := x.enter(args); g != nil {
		x.reply(211, "%d %d %d %s", len(g.numbers), g.low(), g.high, g.name)
	}
}

func (x *session) cmdLISTGROUP(args []string) {
	g := x.group
	if len(args) > 0 {
		g = x.enter(args[:1])
	} else if g == nil {
		x.reply(412, "No group selected")
	}
	if g == nil {
		return
	}
	var b strings.Builder
	for _, n := range x.span(g, args[min(1, len(args)):]) {
		b.WriteString(strconv.FormatInt(n, 10) + "\r\n")
	}
	x.reply(211, "%d %d %d %s list follows", len(g.numbers), g.low(), g.high, g.name)
	x.text([]byte(b.String()))
}

// enter selects a group.
func (x *session) enter(args []string) *group {
	if len(args) != 1 {
		x.reply(501, "GROUP takes the name of a group")
		return nil
	}
	x.mu.RLock()
	g := x.spool.groups[args[0]]
	x.mu.RUnlock()
	switch {
	case g == nil:
		x.reply(411, "No such group")
		return nil
	case !x.mayRead(g.name):
		x.reply(480, "Read access denied")
		return nil
	}
	x.group, x.at = g, 0
	if len(g.numbers) > 0 {
		x.at = g.numbers[0]
	}
	return g
}

func (x *session) cmdARTICLE(args []string) {
	x.send(args, 220, func(a *article) []byte { return a.raw })
}
func (x *session) cmdHEAD(args []string) {
	x.send(args, 221, func(a *article) []byte { return bytes.TrimSuffix(a.raw[:a.body], []byte("\r\n")) })
}
func (x *session) cmdBODY(args []string) {
	x.send(args, 222, func(a *article) []byte { return a.raw[a.body:] })
}
func (x *session) cmdSTAT(args []string) { x.send(args, 223, nil) }

func (x *session) send(args []string, code int, part func(*article) []byte) {
	n, a := x.find(args)
	if a == nil {
		return
	}
	x.reply(code, "%d %s", n, a.id)
	if part != nil {
		x.text(part(a))
	}
}

// cmdNEXT and cmdLAST move to the next and the previous article (RFC 3977 sections 6.1.4 and 6.1.3).
func (x *session) cmdNEXT([]string) { x.move(1, 421, "No next article in this group") }
func (x *session) cmdLAST([]string) { x.move(-1, 422, "No previous article in this group") }

func (x *session) move(by, code int, none string) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	switch {
	case x.group == nil:
		x.reply(412, "No group selected")
		return
	case x.at == 0:
		x.reply(420, "No current article")
		return
	}
	list := x.group.numbers
	i, found := slices.BinarySearch(list, x.at)
	if i += by; by > 0 && !found {
		i-- // the current article no longer exists
	}
	if i < 0 || i >= len(list) {
		x.reply(code, "%s", none)
		return
	}
	x.at = list[i]
	x.reply(223, "%d %s", x.at, x.group.by[x.at].id)
}

// find returns an article by number or message-id, or the current one.
func (x *session) find(args []string) (int64, *article) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	switch {
	case len(args) > 0 && strings.HasPrefix(args[0], "<"):
		a := x.spool.byID[args[0]]
		if a == nil || !x.mayReadAny(a) {
			x.reply(430, "No such article")
			return 0, nil
		}
		return 0, a
	case x.group == nil:
		x.reply(412, "No group selected")
		return 0, nil
	}
	n := x.at
	if len(args) > 0 {
		var err error
		if n, err = strconv.ParseInt(args[0], 10, 64); err != nil {
			x.reply(501, "Not a number")
			return 0, nil
		}
	}
	a := x.group.by[n]
	switch {
	case a == nil && len(args) == 0:
		x.reply(420, "No current article")
	case a == nil:
		x.reply(423, "No such article in this group")
	default:
		x.at = n
	}
	return n, a
}

// mayReadAny reports whether the user may see one of the article's groups.
func (x *session) mayReadAny(a *article) bool {
	return slices.ContainsFunc(strings.Split(a.header.Get("Newsgroups"), ","), func(g string) bool { return x.mayRead(strings.TrimSpace(g)) })
}

// span parses the numbers of a range: "n", "n-" or "n-m" (RFC 3977 section 8.3.1). An empty range means all.
func (x *session) span(g *group, args []string) []int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(args) == 0 {
		return slices.Clone(g.numbers)
	}
	first, last, open := strings.Cut(args[0], "-")
	lo, err1 := strconv.ParseInt(first, 10, 64)
	hi, err2 := strconv.ParseInt(last, 10, 64)
	switch {
	case !open:
		hi = lo
	case last == "":
		hi = g.high
	case err2 != nil:
		return nil
	}
	if err1 != nil {
		return nil
	}
	var list []int64
	for _, n := range g.numbers {
		if lo <= n && n <= hi {
			list = append(list, n)
		}
	}
	return list
}
