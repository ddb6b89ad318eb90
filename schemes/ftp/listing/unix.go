package listing

import (
	"strings"
	"time"
)

// unix parses /bin/ls -l with and without group, with any spacing, and its imitations: NetWare's rights in brackets, NetPresenz'
// directories without a size, dates in ISO order.
func unix(p *parser, line string, f []field) (Line, verdict) {
	if rest, ok := strings.CutPrefix(strings.ToLower(line), "total "); ok && number(strings.TrimSpace(rest)) >= 0 {
		return Line{}, skip
	}
	if rest := withoutBlocks(line); len(rest) < len(line) {
		line, f = rest, fields(rest, nil)
	}
	kind, mode, ok := unixMode(line)
	if !ok {
		return Line{}, no
	}
	i, t, last := p.unixDate(f)
	if i < 0 {
		return p.undated(line, f, kind, mode)
	}
	l := Line{Kind: kind, Size: number(f[i-1].text), Modified: t, Name: after(line, f[last])}
	if rounded(f[i-1].text) {
		l.Attr = attr(l.Attr, "size", f[i-1].text)
	}
	if last == i {
		l.Name = strings.TrimLeft(l.Name, " ") // the date stands alone in two columns
	}
	if strings.HasPrefix(mode, "[") {
		l.Name = strings.TrimPrefix(l.Name, "   ") // QUIRK: some NetWare servers put four blanks before the name
		mode = strings.Trim(mode, "[]")
	}
	if l.Name == "" {
		return Line{}, no
	}
	l.Attr = attr(l.Attr, "mode", mode)
	owners(&l, f, i-1)
	l.settle()
	return l, entry
}

// unixMode parses the first word: a letter for the kind, and rights.
func unixMode(line string) (k Kind, mode string, ok bool) {
	if len(line) < 3 {
		return
	}
	switch line[0] {
	case '-', 'n', 'C', 'M', 'a', 'f', 'm': // n: network special; C, M, m: contiguous data, migrated; a: append only (Plan 9); f: file
		k = File
	case 'd':
		k = Dir
	case 'l', 'e': // e: external link (z/OS)
		k = Link
	case 'b', 'c', 'p', 's', 'D', 'P':
		k = Special
	default:
		return
	}
	rest := strings.TrimLeft(line[1:], " ")
	if strings.HasPrefix(rest, "[") { // NetWare: "d [RWCEAFMS] owner"
		mode, _, ok = strings.Cut(rest, "]")
		return k, mode, ok && (k == Dir || line[0] == '-') && strings.Trim(mode, "[RWCEAFMSBN-") == ""
	}
	mode, _, ok = strings.Cut(line, " ")
	switch {
	case strings.HasSuffix(mode, "FTP") && strings.Trim(mode[:len(mode)-3], "-CDEF") == "" && len(mode) > 10: // Connect:Enterprise
		return File, mode, ok
	case len(mode) == 7: // QUIRK: HylaFAX omits the rights of others, as Chromium's tests have it
		return k, mode, ok && strings.Trim(mode[1:], "rwxsStTlLaA-") == ""
	case len(line) < 11 || strings.Trim(line[1:10], "rwxsStTlLaA-") != "":
		return k, mode, false
	case len(mode) > 12: // owner stuck to the rights
		mode = mode[:10]
	}
	return k, mode, ok
}

// withoutBlocks removes the inode and the number of blocks that ls -i and -s put before the rights.
func withoutBlocks(line string) string {
	rest := line
	for range 2 {
		word, after, ok := strings.Cut(strings.TrimLeft(rest, " "), " ")
		if !ok || number(word) < 0 {
			break
		}
		if rest = strings.TrimLeft(after, " "); len(rest) > 10 && rest[0] > '9' || strings.HasPrefix(rest, "-") {
			return rest
		}
	}
	return line
}

// undated parses a line that has all columns of ls -l except the date: "drwxr-xr-x 3 owner group 512 name". With a blank in the name it
// could be anything.
func (p *parser) undated(line string, f []field, k Kind, mode string) (Line, verdict) {
	if len(f) != 6 || number(f[1].text) < 0 || number(f[4].text) < 0 || p.monthOf(f[5].text) != 0 {
		return Line{}, no
	}
	l := Line{Kind: k, Size: number(f[4].text), Name: line[f[5].start:]}
	l.Attr = attr(l.Attr, "mode", mode)
	owners(&l, f, 4)
	l.settle()
	return l, entry
}

// rounded reports whether a column is a size that ls -h has rounded, such as "33.5k".
func rounded(s string) bool {
	n := strings.TrimRight(s, "kKMGTPB")
	whole, part, _ := strings.Cut(n, ".")
	return len(n) < len(s) && number(whole) >= 0 && (part == "" || number(part) >= 0)
}

// unixDate finds the first date. The columns before it may be missing, contain blanks, or be stuck to their neighbors. Dates of
// numbers alone count only after a size.
func (p *parser) unixDate(f []field) (first int, t time.Time, last int) {
	for i := 2; i+1 < len(f); i++ {
		before := f[i-1].text
		sized := number(before) >= 0 || rounded(before) || before == "folder" || strings.HasSuffix(before, "]")
		if !sized && i > 6 {
			continue // without a size before it, a date that comes this late is in the name
		}
		if t, n, ok := p.unixTime(f[i:], sized); ok && i+n <= len(f) {
			return i, t, i + n - 1
		}
	}
	for i := 2; i+2 < len(f) && i <= 6; i++ { // a month that is stuck to the column before it, as Chromium's tests have it
		word := f[i].text
		if len(word) < 4 || p.monthOf(word[len(word)-3:]) == 0 || word[len(word)-3] > 'Z' {
			continue
		}
		g := append([]field{{word[len(word)-3:], f[i].end - 3, f[i].end}}, f[i+1:]...)
		if t, n, ok := p.unixTime(g, false); ok && i+n <= len(f) {
			return i + 1, t, i + n - 1
		}
	}
	return -1, t, 0
}

// unixTime parses "Dec 20 12:00", "Dec 20 1994", "20 Dec 1994", "1994-12-20 12:00" with what ls --full-time adds, and the forms of other
// languages. Those of East Asia have numbers with a unit: "12月 20日 12:00", "1994年 12月 20日", "12月 20日 1994年", in any character set. unixTime
// returns the number of words. sized is true after a number, where a date may consist of numbers alone.
func (p *parser) unixTime(f []field, sized bool) (t time.Time, n int, ok bool) {
	if len(f) < 2 {
		return t, 0, false
	}
	if t, n, ok = p.isoTime(f); ok {
		return t, n, ok
	}
	first, unit := withUnit(f[0].text)
	second, isMonth := withUnit(f[1].text)
	if len(f) > 3 && first >= 1900 && isMonth && second >= 1 && second <= 12 && (unit || sized && !strings.Contains(f[3].text, ":")) { // otherwise it is the size
		if d, _ := withUnit(f[2].text); d >= 1 && d <= 31 {
			return dateOf(first, time.Month(second), d, 0, 0, 0), 3, true
		}
	}
	word, day, words := f[0].text, f[1].text, 2
	mo := p.monthOf(word)
	switch {
	case mo != 0:
	case p.monthOf(day) != 0:
		mo, day = p.monthOf(day), word
	case sized && len(word) == 5 && word[2] == '-': // "12-20 1994", "12-20 12:00"
		first, _ = withUnit(word[:2])
		day, words, unit = word[3:], 1, true
	case sized && len(f) > 2 && strings.Contains(f[2].text, ":"): // "12 20 12:00"
		unit = true
	}
	if mo == 0 && unit && first <= 12 {
		mo = time.Month(first)
	}
	t, n, ok = p.afterDay(mo, day, f[words:])
	return t, words + n, ok
}

// afterDay completes a month and a day with the words after them: a year, a time, or both. It returns the number of words.
func (p *parser) afterDay(mo time.Month, day string, f []field) (t time.Time, n int, ok bool) {
	d, _ := withUnit(strings.TrimRight(day, ".,"))
	if mo <= 0 || d < 1 || d > 31 || len(f) == 0 {
		return t, 0, false
	}
	word, next := f[0].text, ""
	if len(f) > 1 {
		next = f[1].text
	}
	if h, m, s, isClock := p.clock(word); isClock {
		if y, isYear := year(next); isYear && len(next) == 4 && strings.Count(word, ":") == 2 { // ls -lT of BSD: "Dec 20 12:00:00 1994"
			return dateOf(y, mo, d, h, m, s), 2, true
		}
		return p.recent(mo, d, h, m), 1, true
	}
	if y, unit := withUnit(word); unit && y >= 1900 {
		word = word[:4]
	}
	y, ok := year(word)
	if ok = ok && len(word) == 4; ok && strings.HasSuffix(day, ",") { // VShell: "Oct 08, 2002 09:47"
		if h, m, _, isClock := p.clock(next); isClock {
			return dateOf(y, mo, d, h, m, 0), 2, true
		}
	}
	return dateOf(y, mo, d, 0, 0, 0), 1, ok // two digits are the day in "3 Dec 02  2009"
}

// withUnit parses a number of up to four digits that may be followed by a unit, which begins with a byte that is not ASCII. It returns
// -1 for anything else.
func withUnit(s string) (n int, unit bool) {
	i := 0
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	if i == 0 || i > 4 || i < len(s) && s[i] < 0x80 {
		return -1, false
	}
	return int(number(s[:i])), i < len(s)
}

// isoTime parses a date that is one word, "1994-12-20", "1994/12/20", "20-12-1994", "20-Dec-94", and the time after it if there is one.
func (p *parser) isoTime(f []field) (t time.Time, n int, ok bool) {
	y, mo, d, ok := p.oneWord(f[0].text)
	if !ok {
		return t, 0, false
	}
	var h, m, s int
	isClock := false
	if len(f) > 1 {
		h, m, s, isClock = p.clock(f[1].text)
	}
	if !isClock {
		return dateOf(y, mo, d, 0, 0, 0), 1, true
	}
	t, n = dateOf(y, mo, d, h, m, s), 2
	if len(f) > 2 && len(f[2].text) == 5 && (f[2].text[0] == '+' || f[2].text[0] == '-') {
		if z, err := time.Parse("-0700", f[2].text); err == nil {
			_, off := z.Zone()
			p.zoned = true
			return time.Date(t.Year(), t.Month(), t.Day(), h, m, s, 0, time.FixedZone("", off)), 3, true
		}
	}
	return t, n, true
}

// oneWord parses YYYY-MM-DD, DD-MM-YYYY and DD-Mon-YY, with slashes or full stops too. It returns a day of 0, which no month has, for
// DD-MM-YYYY that could also be MM-DD-YYYY.
func (p *parser) oneWord(s string) (y int, mo time.Month, d int, ok bool) {
	at := strings.IndexAny(s, "-/.")
	if at <= 0 || len(s) < 8 || len(s) > 11 {
		return
	}
	parts := strings.Split(s, s[at:at+1])
	if len(parts) != 3 {
		return
	}
	if len(parts[0]) == 4 {
		parts[0], parts[2] = parts[2], parts[0]
	}
	d, ok1 := small(parts[0], 1, 31)
	y, ok2 := year(parts[2])
	if mo = p.monthOf(parts[1]); mo != 0 {
		return y, mo, d, ok1 && ok2
	}
	m, ok3 := small(parts[1], 1, 12)
	if d <= 12 && len(s) == 10 && at == 2 {
		d = 0
	}
	return y, time.Month(m), d, ok1 && ok2 && ok3 && len(parts[2]) == 4
}

// owners adds the words between the number of links and the size.
func owners(l *Line, f []field, size int) {
	names := []string{"owner", "group"}
	i := 1
	if i < size && number(f[i].text) >= 0 { // the number of links
		i++
	}
	for ; i < size && len(names) > 0; i++ {
		if !strings.ContainsAny(f[i].text, "[]") {
			l.Attr = attr(l.Attr, names[0], f[i].text)
			names = names[1:]
		}
	}
}

// settle splits the name of a link. Its size is the length of its target, and that of a special file the minor device number.
func (l *Line) settle() {
	if l.Kind == Link {
		l.Name, l.Target = splitLink(l.Name, l.Size)
	}
	if l.Kind == Link || l.Kind == Special {
		l.Size = -1
	}
}

// splitLink splits "name -> target". Both may contain an arrow. The size of a link is the length of its target.
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
