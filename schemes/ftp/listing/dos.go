package listing

import (
	"strings"
	"time"
)

// dos parses DIR of DOS and Windows: "07-18-00  10:16AM       <DIR>          name" and "07-18-2000  22:16    1,024 name".
func dos(p *parser, line string, f []field) (Line, verdict) {
	if len(f) < 4 {
		return Line{}, no
	}
	y, mo, d, ok := dosDate(f[0].text)
	if !ok {
		return Line{}, no
	}
	at := 2
	timeText := f[1].text
	if s := strings.ToUpper(f[2].text); s == "AM" || s == "PM" {
		timeText, at = timeText+s, 3
	}
	h, m, _, ok := p.clock(timeText)
	if !ok || at+1 >= len(f) {
		return Line{}, no
	}
	l := Line{Kind: File, Size: -1, Modified: dateOf(y, mo, d, h, m, 0)}
	switch what := strings.ToUpper(f[at].text); what {
	case "<DIR>", "<JUNCTION>":
		l.Kind = Dir
		l.Name = line[f[at+1].start:]
	case "<SYMLINK>", "<SYMLINKD>":
		l.Kind = Link
		l.Name = line[f[at+1].start:]
	default:
		l.Size = number(strings.ReplaceAll(strings.ReplaceAll(what, ",", ""), ".", ""))
		l.Name = after(line, f[at])
		if l.Size < 0 {
			return Line{}, no
		}
	}
	if l.Kind == Link || strings.EqualFold(f[at].text, "<JUNCTION>") {
		if name, to, ok := strings.Cut(l.Name, " ["); ok && strings.HasSuffix(to, "]") {
			l.Name, l.Target = name, strings.TrimSuffix(to, "]")
		}
	}
	return l, entry
}

// dosDate parses MM-DD-YY, MM/DD/YYYY, and YYYY-MM-DD.
func dosDate(s string) (y int, mo time.Month, d int, ok bool) {
	sep := strings.IndexAny(s, "-/.")
	if sep < 0 {
		return
	}
	parts := strings.Split(s, s[sep:sep+1])
	if len(parts) != 3 {
		return
	}
	if len(parts[0]) == 4 {
		parts = []string{parts[1], parts[2], parts[0]}
	}
	if n, ok := small(parts[0], 13, 31); ok && n > 0 {
		parts[0], parts[1] = parts[1], parts[0] // QUIRK: DD-MM-YY where the first number cannot be a month, as in FileZilla's tests
	}
	m, ok1 := small(parts[0], 1, 12)
	d, ok2 := small(parts[1], 1, 31)
	y, ok3 := year(parts[2])
	return y, time.Month(m), d, ok1 && ok2 && ok3
}
