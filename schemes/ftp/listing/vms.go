package listing

import "strings"

// vms parses DIRECTORY of VMS: "NAME.EXT;1    12/15  20-DEC-1994 12:00:00  [OWNER]  (RWED,RE,,)". A long name has a line of its own.
func vms(p *parser, line string, f []field) (Line, verdict) {
	switch {
	case strings.HasPrefix(line, "Directory "):
		p.below = p.entries > 0 && strings.Contains(line, "[") // DIRECTORY [...] continues with the files of other directories
		return Line{}, skip
	case strings.HasPrefix(line, "Total of "), strings.HasPrefix(line, "Grand total "),
		strings.HasPrefix(line, "Total ") && strings.HasSuffix(line, " files"):
		return Line{}, skip
	}
	l, ok := vmsName(line)
	if !ok {
		return Line{}, no
	}
	if len(f) == 1 {
		return Line{}, more
	}
	dated := false
	for i := 1; i < len(f); i++ {
		if t, _, ok := p.isoTime(f[i:]); ok {
			l.Modified, dated = t, true
			if i > 1 {
				l.Attr = attr(l.Attr, "blocks", f[i-1].text)
			}
			break
		}
	}
	if !dated && l.Kind == File && !strings.Contains(line[:strings.IndexByte(line, ';')], ".") {
		return Line{}, no // names on VMS have a dot; some servers that imitate VMS omit it
	}
	if open := strings.LastIndexByte(line, '['); open >= 0 {
		if owner, _, ok := strings.Cut(line[open+1:], "]"); ok {
			l.Attr = attr(l.Attr, "owner", owner)
		}
	}
	if open := strings.LastIndexByte(line, '('); open >= 0 {
		if mode, _, ok := strings.Cut(line[open+1:], ")"); ok {
			l.Attr = attr(l.Attr, "mode", mode)
		}
	}
	if version := l.Attr["version"][0]; l.Kind == File {
		// QUIRK: without a version a name means the latest, which DIRECTORY lists first (Commons Net's tests). Older ones keep their version.
		if l.Name == p.latest {
			l.Name += ";" + version
		} else {
			p.latest = l.Name
		}
	}
	return l, entry
}

// vmsName parses "NAME.EXT;VERSION". The latest version is retrieved without its number, and a directory is entered without ".DIR".
// The size is unknown, since the listing has blocks and not bytes.
func vmsName(line string) (Line, bool) {
	word, _, _ := strings.Cut(line, " ")
	name, version, ok := strings.Cut(word, ";")
	if !ok || name == "" || number(version) < 0 {
		return Line{}, false
	}
	l := Line{Kind: File, Name: name, Size: -1}
	l.Attr = attr(l.Attr, "version", version)
	if len(name) > 4 && strings.EqualFold(name[len(name)-4:], ".DIR") {
		l.Kind, l.Name = Dir, name[:len(name)-4]
	}
	return l, true
}
