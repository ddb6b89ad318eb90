package listing

import (
	"strings"
	"time"
)

// Headings of MVS listings.
const (
	datasets = "datasets"
	members  = "members"
)

// mvs parses the listings of z/OS: of data sets, or of the members of a partitioned one, depending on the heading.
func mvs(p *parser, line string, f []field) (Line, verdict) {
	switch {
	case len(f) > 2 && f[0].text == "Volume" && f[len(f)-1].text == "Dsname":
		p.mvs = datasets
		return Line{}, skip
	case len(f) > 2 && f[0].text == "Name" && (f[1].text == "VV.MM" || f[1].text == "Size"):
		p.mvs = members
		return Line{}, skip
	case p.mvs == datasets:
		return p.dataset(line, f)
	case p.mvs == members:
		return p.member(f)
	case len(f) >= 8 && len(f[1].text) == 4 && number(f[1].text) > 0 && organized(f[len(f)-2].text): // QUIRK: without the heading
		return p.dataset(line, f)
	case len(f) == 4 && len(f[1].text) == 4 && number(f[1].text) > 0 && f[2].text == "VSAM":
		return p.dataset(line, f)
	case len(f) == 2 && f[0].text == "Migrated" && strings.Contains(f[1].text, "."):
		return p.dataset(line, f)
	case len(f) >= 5 && len(f[0].text) <= 8 && len(f[1].text) == 5 && f[1].text[2] == '.' && number(f[1].text[:2]) >= 0:
		if l, v := p.member(f); v == entry && !l.Modified.IsZero() {
			return l, v
		}
	}
	return Line{}, no
}

// organized reports whether a word is the organization of a data set (DSORG).
func organized(s string) bool {
	switch s {
	case "PS", "PO", "PO-E", "DA", "VS", "PS-E":
		return true
	}
	return false
}

// dataset parses "VOLUME 3390   2003/05/21  1  200  FB      80  8053  PS  NAME"; a data set that is not mounted has fewer columns.
func (p *parser) dataset(line string, f []field) (Line, verdict) {
	if len(f) < 2 {
		return Line{}, no
	}
	last := f[len(f)-1]
	l := Line{Kind: File, Name: strings.Trim(last.text, "'"), Size: -1}
	if l.Name == "" {
		return Line{}, no
	}
	if dsorg := f[len(f)-2].text; dsorg == "PO" || dsorg == "PO-E" || len(f) == 3 && f[0].text+" "+dsorg == "Pseudo Directory" {
		l.Kind = Dir
	}
	for _, x := range f {
		if t, err := time.ParseInLocation("2006/01/02", x.text, p.o.Zone); err == nil {
			l.Modified = t
		}
	}
	l.Attr = attr(l.Attr, "volume", f[0].text)
	return l, entry
}

// member parses "NAME  01.03 2002/09/12 2002/10/11 09:37  11  11  0 USER", of which all but the name may be missing.
func (p *parser) member(f []field) (Line, verdict) {
	if len(f[0].text) > 8 {
		return Line{}, no
	}
	l := Line{Kind: File, Name: f[0].text, Size: -1}
	if len(f) > 4 {
		if t, err := time.ParseInLocation("2006/01/02 15:04", f[3].text+" "+f[4].text, p.o.Zone); err == nil {
			l.Modified, l.Exact = t, time.Minute
		}
	}
	return l, entry
}
