package listing

import (
	"strconv"
	"strings"
	"time"
)

// nonStop parses the Guardian files of HP NonStop: `NAME  101  528 6-Dec-94 12:00:00 255,255 "oooo"`.
func nonStop(p *parser, line string, f []field) (Line, verdict) {
	if len(f) < 7 || number(f[1].text) < 0 || number(f[2].text) < 0 || !strings.HasSuffix(line, `"`) {
		return Line{}, no
	}
	t, _, ok := p.isoTime(f[3:])
	if !ok {
		return Line{}, no
	}
	l := Line{Kind: File, Name: f[0].text, Size: number(f[2].text), Modified: t}
	l.Attr = attr(l.Attr, "code", f[1].text)
	owner, rights, _ := strings.Cut(line[f[5].start:], `"`)
	l.Attr = attr(attr(l.Attr, "owner", strings.TrimSpace(owner)), "mode", strings.TrimSuffix(rights, `"`))
	return l, entry
}

// os9 parses dir -e of Microware OS-9: "20.20 94/12/20 1200 d-ewrewr 2650 85920 name".
func os9(p *parser, line string, f []field) (Line, verdict) {
	if len(f) < 7 {
		return Line{}, no
	}
	group, user, ok := strings.Cut(f[0].text, ".")
	date := strings.Split(f[1].text, "/")
	rights := f[3].text
	if !ok || number(group) < 0 || number(user) < 0 || len(date) != 3 || len(f[2].text) != 4 ||
		len(rights) != 8 || strings.Trim(rights, "dsewr-") != "" {
		return Line{}, no
	}
	y, ok1 := year(date[0])
	mo, ok2 := small(date[1], 1, 12)
	d, ok3 := small(date[2], 1, 31)
	h, ok4 := small(f[2].text[:2], 0, 23)
	m, ok5 := small(f[2].text[2:], 0, 59)
	size := number(f[5].text)
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || size < 0 {
		return Line{}, no
	}
	l := Line{Kind: File, Name: line[f[6].start:], Size: size, Modified: p.date(y, time.Month(mo), d, h, m, 0)}
	if rights[0] == 'd' {
		l.Kind = Dir
	}
	l.Attr = attr(attr(l.Attr, "owner", f[0].text), "mode", rights)
	return l, entry
}

// vshell parses the listing of old versions of VShell: "1024  Dec 20, 1994 12:00 name", with a slash after the name of a directory.
func vshell(p *parser, line string, f []field) (Line, verdict) {
	if len(f) < 6 || number(f[0].text) < 0 || !strings.HasSuffix(f[2].text, ",") {
		return Line{}, no
	}
	t, n, ok := p.unixTime(f[1:], true)
	if !ok || n != 4 {
		return Line{}, no
	}
	l := Line{Kind: File, Name: after(line, f[4]), Size: number(f[0].text), Modified: t}
	if name, ok := strings.CutSuffix(l.Name, "/"); ok && name != "" {
		l.Kind, l.Name = Dir, name
	}
	return l, entry
}

// vxWorks parses "1024    Dec-20-1994  12:00:00   name <DIR>".
func vxWorks(p *parser, line string, f []field) (Line, verdict) {
	if len(f) < 4 || number(f[0].text) < 0 {
		return Line{}, no
	}
	date := strings.Split(f[1].text, "-")
	h, m, s, isClock := p.clock(f[2].text)
	if len(date) != 3 || !isClock || p.monthOf(date[0]) == 0 {
		return Line{}, no
	}
	d, ok1 := small(date[1], 1, 31)
	y, ok2 := year(date[2])
	if !ok1 || !ok2 {
		return Line{}, no
	}
	l := Line{Kind: File, Name: strings.TrimRight(line[f[3].start:], " "), Size: number(f[0].text)}
	l.Modified = p.date(y, p.monthOf(date[0]), d, h, m, s)
	if name, ok := strings.CutSuffix(l.Name, "<DIR>"); ok && strings.TrimRight(name, " ") != "" {
		l.Kind, l.Name = Dir, strings.TrimRight(name, " ")
	}
	return l, entry
}

// wfftp parses "name   1024  12/20/94  Tues.   12:00:00" of Nortel's WFFTP. The day of the week resolves the order of day and month.
func wfftp(p *parser, line string, f []field) (Line, verdict) {
	n := len(f)
	if n < 5 || n == maxFields || number(f[n-4].text) < 0 || len(f[n-2].text) < 3 {
		return Line{}, no
	}
	h, m, s, isClock := p.clock(f[n-1].text)
	t, isDate := p.anyOrder(f[n-3].text, h, m, s, func(t time.Time) bool { return strings.EqualFold(t.Weekday().String()[:3], f[n-2].text[:3]) })
	if !isClock || !isDate || !strings.HasSuffix(f[n-2].text, ".") {
		return Line{}, no
	}
	return Line{Kind: File, Name: strings.TrimRight(line[f[0].start:f[n-4].start], " \t"), Size: number(f[n-4].text), Modified: t}, entry
}

// inodes parses the fields of stat(2) that some servers print: "0100644   500  101   12345    787924800  name" (mode, owner, group, size,
// time).
func inodes(_ *parser, line string, f []field) (Line, verdict) {
	if len(f) < 6 || len(f[0].text) < 5 || len(f[0].text) > 7 {
		return Line{}, no
	}
	mode, err := strconv.ParseInt(f[0].text, 8, 32)
	seconds := number(f[4].text)
	if err != nil || number(f[1].text) < 0 || number(f[2].text) < 0 || number(f[3].text) < 0 || seconds < 0 || seconds >= 1<<40 {
		return Line{}, no
	}
	l := Line{Name: line[f[5].start:], Size: number(f[3].text), Modified: time.Unix(seconds, 0).UTC(), Exact: time.Second, Zoned: true}
	switch mode >> 12 {
	case 010:
		l.Kind = File
	case 004:
		l.Kind = Dir
	case 012:
		l.Kind = Link
		l.Name, l.Target = splitLink(l.Name, l.Size)
		l.Size = -1
	case 001, 002, 006, 014:
		l.Kind, l.Size = Special, -1
	default:
		return Line{}, no
	}
	l.Attr = attr(l.Attr, "mode", f[0].text)
	l.Attr = attr(attr(l.Attr, "owner", f[1].text), "group", f[2].text)
	return l, entry
}
