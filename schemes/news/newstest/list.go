package newstest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/schemes/internal/lineproto"
)

// cmdOVER sends the fields of RFC 3977 section 8.3.2, and Xref.
func (x *session) cmdOVER(args []string) {
	x.ranged(args, 224, "Overview information follows", overLine)
}

// ranged sends a line for each article of a range, or for the one with a message-id, whose number is 0.
func (x *session) ranged(args []string, code int, title string, line func(int64, *article) string) {
	if len(args) == 1 && strings.HasPrefix(args[0], "<") {
		if _, a := x.find(args); a != nil {
			x.reply(code, "%s", title)
			x.text([]byte(line(0, a)))
		}
		return
	}
	if x.group == nil {
		x.reply(412, "No group selected")
		return
	}
	var list []int64
	if len(args) == 0 { // the current article: RFC 3977 section 8.3.1
		n, a := x.find(nil)
		if a == nil {
			return
		}
		list = append(list, n)
	} else if list = x.span(x.group, args); len(list) == 0 {
		x.reply(423, "No articles in that range")
		return
	}
	var b strings.Builder
	x.mu.RLock()
	for _, n := range list {
		b.WriteString(line(n, x.group.by[n]))
	}
	x.mu.RUnlock()
	x.reply(code, "%s", title)
	x.text([]byte(b.String()))
}

func overLine(n int64, a *article) string {
	clean := strings.NewReplacer("\t", " ", "\r\n", " ").Replace
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s\t%d\t%d\tXref: news.example%s\r\n", n, clean(a.header.Get("Subject")), clean(a.header.Get("From")),
		clean(a.header.Get("Date")), a.id, clean(a.header.Get("References")), len(a.raw), a.lines(), a.xref)
}

func (x *session) cmdHDR(args []string) { x.fields(225, args) }

// cmdXHDR replies with another code than HDR (RFC 2980 section 2.6).
func (x *session) cmdXHDR(args []string) { x.fields(221, args) }

// fields sends one field of each article (RFC 3977 section 8.5).
func (x *session) fields(code int, args []string) {
	if len(args) == 0 {
		x.reply(501, "HDR takes the name of a field")
		return
	}
	x.ranged(args[1:], code, "Headers follow", func(n int64, a *article) string { return fmt.Sprintf("%d %s\r\n", n, a.about(args[0])) })
}

// cmdHEADERS lists what HDR supports: all fields, and two items of metadata (RFC 3977 section 8.6).
func (x *session) cmdHEADERS([]string) {
	x.reply(215, "Headers and metadata items supported")
	x.text([]byte(":\r\n:bytes\r\n:lines\r\n"))
}

// each calls f for every matching group that the user may see.
func (x *session) each(args []string, f func(*group)) {
	pattern := "*"
	if len(args) > 0 {
		pattern = args[0]
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, name := range slices.Sorted(maps.Keys(x.spool.groups)) {
		if lineproto.MatchWildmat(pattern, name) && x.mayRead(name) {
			f(x.spool.groups[name])
		}
	}
}

func (x *session) cmdACTIVE(args []string) {
	x.active("high low status", args, func(g *group) string { return "" })
}

// cmdCOUNTS implements LIST COUNTS (RFC 6048 section 2.2).
func (x *session) cmdCOUNTS(args []string) {
	x.active("high low count status", args, func(g *group) string { return strconv.Itoa(len(g.numbers)) + " " })
}

func (x *session) active(form string, args []string, count func(*group) string) {
	var b strings.Builder
	x.each(args, func(g *group) {
		fmt.Fprintf(&b, "%s %010d %010d %s%s\r\n", g.name, g.high, g.low(), count(g), x.status())
	})
	x.reply(215, "Newsgroups in form \"group %s\"", form)
	x.text([]byte(b.String()))
}

// status returns whether a group accepts articles (RFC 3977 section 7.6.3).
func (x *session) status() string {
	if x.o.Posting {
		return "y"
	}
	return "n"
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

// cmdFMT names two items of metadata as older servers do, which RFC 3977 section 8.4.2 allows. QUIRK: slrn 1.0.3 does not use the
// overview if they are ":bytes" and ":lines" (observed).
func (x *session) cmdFMT([]string) {
	x.reply(215, "Order of fields in overview database")
	x.text([]byte("Subject:\r\nFrom:\r\nDate:\r\nMessage-ID:\r\nReferences:\r\nBytes:\r\nLines:\r\nXref:full\r\n"))
}
