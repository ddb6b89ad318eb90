package newstest

import (
	"fmt"
	"strings"
	"time"

	"example.org/deref/schemes/internal/wildmat"
)

// cmdOVER answers with the fields of RFC 3977 section 8.3.2, and Xref.
func (x *session) cmdOVER(args []string) {
	if len(args) == 1 && strings.HasPrefix(args[0], "<") {
		if _, a := x.find(args); a != nil {
			x.reply(224, "Overview information follows")
			x.text([]byte(overLine("", 0, a)))
		}
		return
	}
	if x.group == nil {
		x.reply(412, "No group selected")
		return
	}
	list := x.span(x.group, args)
	if len(list) == 0 {
		x.reply(423, "No articles in that range")
		return
	}
	var b strings.Builder
	x.mu.RLock()
	for _, n := range list {
		b.WriteString(overLine(x.group.name, n, x.group.by[n]))
	}
	x.mu.RUnlock()
	x.reply(224, "Overview information follows")
	x.text([]byte(b.String()))
}

func overLine(group string, n int64, a *article) string {
	clean := strings.NewReplacer("\t", " ", "\r\n", " ").Replace
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s\t%d\t%d\tXref: news.example %s:%d\r\n", n, clean(a.field["subject"]), clean(a.field["from"]),
		clean(a.field["date"]), a.id, clean(a.field["references"]), len(a.raw), a.lines(), group, n)
}

func (x *session) cmdHDR(args []string) {
	if len(args) == 0 || x.group == nil {
		x.reply(412, "No group selected")
		return
	}
	var b strings.Builder
	name := strings.ToLower(args[0])
	x.mu.RLock()
	for _, n := range x.group.numbers {
		fmt.Fprintf(&b, "%d %s\r\n", n, x.group.by[n].field[name])
	}
	x.mu.RUnlock()
	x.reply(225, "Headers follow")
	x.text([]byte(b.String()))
}

// each calls f for every group that the user may see and that matches.
func (x *session) each(args []string, f func(*group)) {
	pattern := "*"
	if len(args) > 0 {
		pattern = args[0]
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, name := range x.spool.names() {
		if wildmat.Match(pattern, name) && x.mayRead(name) {
			f(x.spool.groups[name])
		}
	}
}

func (x *session) cmdACTIVE(args []string) {
	var b strings.Builder
	x.each(args, func(g *group) {
		status := "n"
		if x.o.Posting {
			status = "y"
		}
		for _, m := range x.o.Moderated {
			if m == g.name {
				status = "m"
			}
		}
		fmt.Fprintf(&b, "%s %010d %010d %s\r\n", g.name, g.high, g.low(), status)
	})
	x.reply(215, "Newsgroups in form \"group high low status\"")
	x.text([]byte(b.String()))
}

func (x *session) cmdNEWSGROUPS(args []string) {
	var b strings.Builder
	x.each(args, func(g *group) {
		if g.about != "" {
			fmt.Fprintf(&b, "%s\t%s\r\n", g.name, g.about)
		}
	})
	x.reply(215, "Descriptions in form \"group description\"")
	x.text([]byte(b.String()))
}

func (x *session) cmdFMT([]string) {
	x.reply(215, "Order of fields in overview database")
	x.text([]byte("Subject:\r\nFrom:\r\nDate:\r\nMessage-ID:\r\nReferences:\r\n:bytes\r\n:lines\r\nXref:full\r\n"))
}

// cmdNEWNEWS goes by the Date field: there is no other date of an article here.
func (x *session) cmdNEWNEWS(args []string) {
	if len(args) < 3 {
		x.reply(501, "NEWNEWS wildmat date time [GMT]")
		return
	}
	since, err := time.Parse("20060102150405", args[1]+args[2])
	if err != nil {
		x.reply(501, "That is no date")
		return
	}
	var b strings.Builder
	x.each(args[:1], func(g *group) {
		for _, n := range g.numbers {
			t, err := time.Parse(time.RFC1123Z, g.by[n].field["date"])
			if err == nil && !t.Before(since) {
				b.WriteString(g.by[n].id + "\r\n")
			}
		}
	})
	x.reply(230, "New articles follow")
	x.text([]byte(b.String()))
}
