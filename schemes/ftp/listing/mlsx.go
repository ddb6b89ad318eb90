package listing

import (
	"strings"
	"time"
)

// mlsx parses "fact=value;fact=value; name" (RFC 3659 §7.2). The case of facts and their values does not matter (§7.5). Unknown facts
// become attributes.
func mlsx(p *parser, line string, _ []field) (Line, verdict) {
	facts, name, wrong, ok := cutFacts(line)
	if !ok && p.facts && line[0] == ' ' {
		return Line{Kind: File, Name: line[1:], Size: -1}, entry // RFC 3659 §7.2: facts may be missing
	}
	if !ok || name == "" {
		return Line{}, no
	}
	l := Line{Kind: File, Name: name, Size: -1}
	typed := false
	for fact := range strings.SplitSeq(facts, ";") {
		key, value, ok := strings.Cut(fact, "=")
		switch {
		case fact == "":
			continue
		case !ok && l.Target != "":
			l.Target += ";" + fact
			continue
		case !ok || strings.ContainsAny(key, " \t"):
			return Line{}, no
		}
		switch key = strings.ToLower(key); key {
		case "type":
			typed = true
			if value == "" {
				continue
			}
			if !factType(&l, value) {
				p.facts = true
				return Line{}, skip
			}
		case "size", "sizd":
			typed = true
			if l.Size < 0 {
				l.Size = number(value)
				p.checkFact("7.5.7", "a size that is not a number", l.Size < 0)
			}
		case "modify":
			typed = true
			l.Modified, l.Exact, l.Zoned = TimeVal(value), time.Second, true
			p.checkFact("2.3", "a time that is not YYYYMMDDHHMMSS", l.Modified.IsZero())
		default:
			l.Attr = attr(l.Attr, key, value)
		}
	}
	if !typed && l.Attr == nil {
		return Line{}, no // a name without facts is valid MLSx, but so is any line
	}
	p.facts = true
	p.checkFact("7.2", wrong, wrong != "")
	if l.Kind == Link {
		l.Size = -1 // the length of its target's name
	}
	return l, entry
}

// cutFacts splits a line at the blank before the name. wrong describes a separator that RFC 3659 does not have.
func cutFacts(line string) (facts, name, wrong string, ok bool) {
	facts, name, ok = strings.Cut(line, "; ") // a value may contain blanks, though it should not: the target of a link, an owner
	if ok {
		return facts, name, "", true
	}
	if facts, name, ok = strings.Cut(line, ";\t"); ok { // QUIRK: a tab in place of the blank, as in FileZilla's tests
		return facts, name, "a TAB before the name", true
	}
	if !strings.HasPrefix(strings.ToLower(line), "type=") {
		return "", "", "", false
	}
	facts, name, ok = strings.Cut(line, " ") // drafts before draft-ietf-ftpext-mlst-07 have no semicolon after the last fact
	return facts, name, "no semicolon after the last fact", ok && len(facts) > len("type=")
}

// checkFact reports what RFC 3659 forbids.
func (p *parser) checkFact(section, what string, wrong bool) {
	if wrong && p.o.Facts != nil {
		p.o.Facts("RFC 3659 section "+section, what)
	}
}

// factType parses the value of "type". It returns false if the line describes the directory itself or the one above.
func factType(l *Line, value string) bool {
	switch v := strings.ToLower(value); {
	case v == "file":
		l.Kind = File
	case v == "dir":
		l.Kind = Dir
	case v == "cdir" || v == "pdir":
		return false
	case strings.HasPrefix(v, "os.unix=slink") || strings.HasPrefix(v, "os.unix=symlink"):
		l.Kind = Link
		_, l.Target, _ = strings.Cut(value, ":")
	default:
		l.Kind = Special
		l.Attr = attr(l.Attr, "type", value)
	}
	return true
}

// TimeVal parses YYYYMMDDHHMMSS in UTC, perhaps with a fraction (RFC 3659 §2.3). It returns the zero time if s is anything else.
func TimeVal(s string) time.Time {
	s, _, _ = strings.Cut(s, ".")
	t, err := time.Parse("20060102150405", s)
	if err != nil {
		return time.Time{}
	}
	return t
}

// eplf parses the easily parsed list format: "+fact,fact,\tname".
func eplf(_ *parser, line string, _ []field) (Line, verdict) {
	facts, name, ok := strings.Cut(line, "\t")
	if !ok || !strings.HasPrefix(line, "+") || name == "" {
		return Line{}, no
	}
	l := Line{Kind: Special, Name: name, Size: -1}
	for f := range strings.SplitSeq(facts[1:], ",") {
		switch {
		case f == "/":
			l.Kind = Dir
		case f == "r":
			l.Kind = File
		case strings.HasPrefix(f, "s"):
			l.Size = number(f[1:])
		case strings.HasPrefix(f, "m"):
			if n := number(f[1:]); n >= 0 && n < 1<<40 {
				l.Modified, l.Exact, l.Zoned = time.Unix(n, 0).UTC(), time.Second, true
			}
		case strings.HasPrefix(f, "i"):
			l.Attr = attr(l.Attr, "unique", f[1:])
		case strings.HasPrefix(f, "up"):
			l.Attr = attr(l.Attr, "mode", f[2:])
		}
	}
	return l, entry
}
