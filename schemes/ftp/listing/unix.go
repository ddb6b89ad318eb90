package listing

import (
	"strings"
	"time"
)

// unix reads /bin/ls -l with and without group, with any spacing, and what imitates it: NetWare's rights in brackets, NetPresenz'
// folders without a size, dates in ISO order.
func unix(p *parser, line string) (Line, verdict) {
	if rest, ok := strings.CutPrefix(strings.ToLower(line), "total "); ok && number(strings.TrimSpace(rest)) >= 0 {
		return Line{}, skip
	}
	kind, mode, ok := unixMode(line)
	if !ok {
		return Line{}, no
	}
	var buf [maxFields]field
	f := fields(line, buf[:0])
	i, t, last := p.unixDate(f)
	if i < 0 {
		return Line{}, no
	}
	l := Line{Kind: kind, Size: number(f[i-1].text), Modified: t, Name: after(line, f[last])}
	if strings.HasPrefix(mode, "[") {
		l.Name = strings.TrimPrefix(l.Name, "   ") // QUIRK: some NetWares put four blanks before the name
		mode = strings.Trim(mode, "[]")
	}
	if l.Name == "" {
		return Line{}, no
	}
	l.Attr = attr(l.Attr, "mode", mode)
	owners(&l, f, i-1)
	switch kind {
	case Link:
		l.Name, l.Target = splitLink(l.Name, l.Size)
		l.Size = -1
	case Special:
		l.Size = -1 // what looks like one is the minor device number
	}
	return l, entry
}

// unixMode reads the first word: a letter for the kind, and rights.
func unixMode(line string) (k Kind, mode string, ok bool) {
	if len(line) < 3 {
		return
	}
	switch line[0] {
	case '-', 'n', 'C', 'M': // n: network special; C, M: contiguous data, migrated
		k = File
	case 'd':
		k = Dir
	case 'l':
		k = Link
	case 'b', 'c', 'p', 's', 'D', 'P':
		k = Special
	default:
		return
	}
	rest := strings.TrimLeft(line[1:], " ")
	if strings.HasPrefix(rest, "[") { // NetWare: "d [RWCEAFMS] owner"
		mode, _, ok = strings.Cut(rest, "]")
		return k, mode, ok && strings.Trim(mode, "[RWCEAFMSBN-") == ""
	}
	if len(line) < 11 || strings.Trim(line[1:10], "rwxsStTlLaA-") != "" {
		return
	}
	mode, _, ok = strings.Cut(line, " ")
	if len(mode) > 12 { // owner stuck to the rights
		mode = mode[:10]
	}
	return k, mode, ok
}

// unixDate finds the date: the first place where a number is followed by one. Everything before may be missing or have blanks.
func (p *parser) unixDate(f []field) (first int, t time.Time, last int) {
	for i := 2; i+1 < len(f); i++ {
		if number(f[i-1].text) < 0 && f[i-1].text != "folder" && !strings.HasSuffix(f[i-1].text, "]") {
			continue
		}
		if t, n, ok := p.unixTime(f[i:]); ok {
			return i, t, i + n - 1
		}
	}
	return -1, t, 0
}

// unixTime reads "Dec 20 12:00", "Dec 20 1994", "20 Dec 1994", "1994-12-20 12:00" with what ls --full-time adds, and tells how
// many words it took.
func (p *parser) unixTime(f []field) (t time.Time, n int, ok bool) {
	if len(f) >= 2 && len(f[0].text) == 10 && f[0].text[4] == '-' {
		return p.isoTime(f)
	}
	if len(f) < 3 {
		return
	}
	mo, day := monthOf(f[0].text), f[1].text
	if mo == 0 {
		mo, day = monthOf(f[1].text), strings.TrimSuffix(f[0].text, ".")
	}
	d, dayOK := small(strings.TrimSuffix(day, ","), 1, 31)
	if mo == 0 || !dayOK {
		return
	}
	if h, m, _, isClock := clock(f[2].text); isClock && strings.Contains(f[2].text, ":") {
		if len(f) > 3 && len(f[3].text) == 4 && strings.Count(f[2].text, ":") == 2 { // ls -lT of BSD: "Dec 20 12:00:00 1994"
			if y, ok := year(f[3].text); ok {
				return p.date(y, mo, d, h, m, 0), 4, true
			}
		}
		return p.recent(mo, d, h, m), 3, true
	}
	y, ok := year(f[2].text)
	if ok && len(f) > 3 && strings.HasSuffix(day, ",") { // VShell: "Oct 08, 2002 09:47"
		if h, m, _, isClock := clock(f[3].text); isClock {
			return p.date(y, mo, d, h, m, 0), 4, true
		}
	}
	return p.date(y, mo, d, 0, 0, 0), 3, ok && len(f[2].text) == 4 // two digits are the day in "3 Dec 02  2009"
}

func (p *parser) isoTime(f []field) (t time.Time, n int, ok bool) {
	day, err := time.ParseInLocation("2006-01-02", f[0].text, p.o.Zone)
	h, m, s, isClock := clock(f[1].text)
	if err != nil || !isClock {
		return t, 0, false
	}
	t, n = p.date(day.Year(), day.Month(), day.Day(), h, m, s), 2
	if len(f) > 2 && len(f[2].text) == 5 && (f[2].text[0] == '+' || f[2].text[0] == '-') {
		if z, err := time.Parse("-0700", f[2].text); err == nil {
			_, off := z.Zone()
			return time.Date(t.Year(), t.Month(), t.Day(), h, m, s, 0, time.FixedZone("", off)), 3, true
		}
	}
	return t, n, true
}

// owners are the words between the links and the size.
func owners(l *Line, f []field, size int) {
	names := []string{"owner", "group"}
	i := 1
	if i < size && number(f[i].text) >= 0 { // the count of links
		i++
	}
	for ; i < size && len(names) > 0; i++ {
		if !strings.ContainsAny(f[i].text, "[]") {
			l.Attr = attr(l.Attr, names[0], f[i].text)
			names = names[1:]
		}
	}
}

// splitLink parts "name -> target". Either may hold an arrow; the size of a link is the length of its target.
func splitLink(s string, size int64) (name, target string) {
	const arrow = " -> "
	if size > 0 && size < int64(len(s)) {
		if at := len(s) - int(size) - len(arrow); at > 0 && s[at:at+len(arrow)] == arrow {
			return s[:at], s[at+len(arrow):]
		}
	}
	name, target, _ = strings.Cut(s, arrow)
	return name, target
}
