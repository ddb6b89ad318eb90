package newstest

import (
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"time"
)

// cmdNEWNEWS uses the Date field, because the articles have no other date.
func (x *session) cmdNEWNEWS(args []string) {
	if len(args) < 3 {
		x.reply(501, "NEWNEWS wildmat date time [GMT]")
		return
	}
	since, err := parseSince(args[1:])
	if err != nil {
		x.reply(501, "Not a date")
		return
	}
	var list []string
	x.each(args[:1], func(g *group) {
		for _, n := range g.numbers {
			a := g.by[n]
			if t, err := a.date(); err == nil && !t.Before(since) && !slices.Contains(list, a.id) {
				list = append(list, a.id)
			}
		}
	})
	var b strings.Builder
	for _, id := range list {
		b.WriteString(id + "\r\n")
	}
	x.reply(230, "New articles follow")
	x.text([]byte(b.String()))
}

// cmdNEWGROUPS lists groups by the time of their creation (RFC 3977 section 7.3).
func (x *session) cmdNEWGROUPS(args []string) {
	if len(args) < 2 {
		x.reply(501, "NEWGROUPS date time [GMT]")
		return
	}
	since, err := parseSince(args)
	if err != nil {
		x.reply(501, "Not a date")
		return
	}
	var b strings.Builder
	x.each(nil, func(g *group) {
		if !g.made().Before(since) {
			fmt.Fprintf(&b, "%s %d %d %s\r\n", g.name, g.high, g.low(), x.status())
		}
	})
	x.reply(231, "New newsgroups follow")
	x.text([]byte(b.String()))
}

// parseSince parses "[xx]yymmdd hhmmss [GMT]" (RFC 3977 section 7.3.2).
func parseSince(args []string) (time.Time, error) {
	day, zone := args[0], time.Local
	if len(day) == len("yymmdd") { // the nearest century that is not in the future
		now := time.Now()
		century := now.Year() / 100
		if day[:2] > now.Format("06") {
			century--
		}
		day = fmt.Sprintf("%02d%s", century, day)
	}
	if len(args) > 2 && strings.EqualFold(args[2], "GMT") {
		zone = time.UTC
	}
	return time.ParseInLocation(stamp, day+args[1], zone)
}

// date returns when an article was written.
func (a *article) date() (time.Time, error) { return mail.ParseDate(a.header.Get("Date")) }

// made returns when a group was created: the time of its oldest article, or the zero time if it has none.
func (g *group) made() (at time.Time) {
	for _, a := range g.by {
		if t, err := a.date(); err == nil && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	return at
}
