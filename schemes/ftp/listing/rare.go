package listing

import (
	"regexp"
	"strings"
	"time"
)

// A form is a rare dialect: the pattern of its lines, in which a blank stands for several. The groups of the pattern are the fields of a Line,
// and its other columns. A line without a name is a heading.
type form struct {
	pattern string
	layout  string         // of the group date: that of package time, inSeconds, ofDOS, or "" if the server's settings decide the order of day, month and year
	rows    *form          // of the lines after this heading
	line    *regexp.Regexp // the pattern, once it is needed
}

// maxRare bounds the lines that are compared with a pattern, which takes time. Systems with rare dialects have short names.
const maxRare = 1000

// Layouts of dates that package time does not have.
const (
	inSeconds = "since 1970"
	ofDOS     = "month, day, year, time"
)

// forms returns the rare dialects.
func forms() []*form {
	datasets := &form{layout: "2006/01/02",
		pattern: `(?P<volume>\S+)(?:\s.*(?P<date>\d{4}/\d\d/\d\d))?(?: .*?)??(?: (?P<dir>PO|PO-E|Directory))? '?(?P<name>\S+?)'?`}
	members := &form{layout: "2006/01/02 15:04", pattern: `(?P<name>\S{1,8})(?: \S+ \S+ (?P<date>\d{4}/\d\d/\d\d \d\d:\d\d))?(?: .*)?`}
	return []*form{
		// OS/2:      0           DIR   04-11-95   16:26  NAME
		{pattern: `(?:\d+ (?P<dir>(?i:DIR))|(?P<size>\d+))(?: (?P<attributes>[A-Za-z]+))? (?P<date>\S+ [\d:]+) (?P<name>.*)`, layout: ofDOS},
		// z/OS: WYOSPT 3420   2003/05/21  1  200  FB      80  8053  PS  A.FILE, which has fewer columns if it is not mounted
		{pattern: `Volume .* Dsname`, rows: datasets},
		// members of a data set: NAME  01.03 2002/09/12 2002/10/11 09:37  11  11  0 USER, of which all but the name may be missing
		{pattern: `Name (?:VV\.MM|Size) .*`, rows: members},
		// QUIRK: the same without a heading (FileZilla's tests)
		{pattern: `(?P<volume>\S+) \d{4} (?:(?P<date>\d{4}/\d\d/\d\d) )?(?:.* )?(?:(?P<dir>PO|PO-E)|PS|PS-E|DA|VS|VSAM) (?P<name>\S+)`, layout: "2006/01/02"},
		{pattern: `(?P<volume>Migrated) (?P<name>\S+\.\S+)`},
		{pattern: `(?P<name>\S{1,8}) \d\d\.\d\d \S+ (?P<date>\d{4}/\d\d/\d\d \d\d:\d\d)(?: .*)?`, layout: "2006/01/02 15:04"},
		// OS/400: OWNER  1024 02/23/94 12:00:00 *DIR  name/
		{pattern: `(?P<owner>\S+) (?P<size>\d+) (?P<date>\S+ \S+) (?P<type>(?P<dir>\*D?DIR|\*FLR|\*LIB)|\*\S\S+) (?:.*/)?(?P<name>[^/]+)(?P<slash>/)?`},
		// a member, which RETR has as it is listed: OWNER  *MEM  FILE.FILE/NAME.MBR. In the listing of its file, the line of that has no name
		{pattern: `(?P<owner>\S+) (?P<type>\*MEM) (?P<name>.*)`},
		{pattern: `\S+ \d+ \S+ \S+ \*FILE`},
		// jobs of z/OS, which are retrieved by their number: NAME1  JOB01906 OWNER  OUTPUT A  RC=0000 3 spool files
		{pattern: `JOBNAME JOBID .*`},
		{pattern: `(?P<job>\S+) (?P<name>(?:JOB|TSU|STC)\d{5}|[JTS]\d{7})(?: (?P<owner>\S+))? (?P<state>INPUT|ACTIVE|OUTPUT|HELD)(?: .*)?`},
		// z/VM: NAME  TYPE  V  65  107  2 1994-12-20 12:00:00 OWNER: name, type, format, length and number of records, blocks
		{pattern: `(?P<name>\S{1,16}) (?P<suffix>\S{1,8}) [VF] \d+ (?P<records>\d+) \S+ (?P<date>\S+ \S+)(?: .*)?`, layout: time.DateTime},
		{pattern: `(?P<name>\S{1,16}) \S{1,8} (?P<dir>DIR) \S+ \S+ \S+ (?P<date>\S+ \S+)(?: .*)?`, layout: time.DateTime},
		// Guardian files of HP NonStop
		{pattern: `(?P<name>\S+) (?P<code>\d+) (?P<size>\d+) (?P<date>\S+ \S+) (?P<owner>[^"]*)"(?P<mode>.*)"`, layout: "2-Jan-06 15:04:05"},
		// dir -e of Microware OS-9
		{pattern: `(?P<owner>\d+\.\d+) (?P<date>\S+ \d{4}) (?P<mode>(?:(?P<dir>d)|[sewr-])[dsewr-]{7}) \S+ (?P<size>\d+) (?P<name>.*)`, layout: "06/1/2 1504"},
		// old versions of VShell
		{pattern: `(?P<size>\d+) (?P<date>\S+ \d+, \d+ \S+)\x20(?P<name>.+?)(?P<dir>/)?`, layout: "Jan 2, 2006 15:04"},
		// VxWorks
		{pattern: `(?P<size>\d+) (?P<date>\S+-\S+-\S+ \S+) (?P<name>.+?)\s*(?P<dir><DIR>)?\s*`, layout: "Jan-2-2006 15:04:05"},
		// WFFTP of Nortel. The day of the week resolves the order of day and month
		{pattern: `(?P<name>\S.*?) (?P<size>\d+) (?P<date>\S+ (?P<day>[A-Za-z]{3})[A-Za-z]*\. \S+)\s*`},
		// the fields of stat(2): mode, owner, group, size, time
		{pattern: `(?P<mode>0*(?:10|(?P<dir>4)|(?P<link>12)|(?P<special>1|2|6|14))[0-7]{4}) (?P<owner>\d+) (?P<group>\d+) (?P<size>\d+) (?P<date>\d{1,12}) (?P<name>.*)`,
			layout: inSeconds},
	}
}

// rows is the dialect of the lines after a heading that names their columns.
func rows(p *parser, line string, f []field) (Line, verdict) {
	if p.rows == nil {
		return Line{}, no
	}
	return p.rows.parse(p, line, f)
}

// parse is a dialect.
func (f *form) parse(p *parser, text string, _ []field) (Line, verdict) {
	if len(text) > maxRare {
		return Line{}, no
	}
	if f.line == nil {
		f.line = regexp.MustCompile(`^\s*` + strings.ReplaceAll(f.pattern, " ", `\s+`) + `$`)
	}
	found := f.line.FindStringSubmatch(text)
	if found == nil {
		return Line{}, no
	}
	l := Line{Kind: File, Size: -1}
	var date, day string
	for i, group := range f.line.SubexpNames() {
		switch value := found[i]; {
		case group == "" || value == "":
		case group == "name":
			l.Name = value
		case group == "suffix":
			l.Name += "." + value
		case group == "dir", group == "slash":
			l.Kind = Dir
		case group == "link":
			l.Kind = Link
		case group == "special":
			l.Kind = Special
		case group == "size":
			l.Size = number(value)
		case group == "date":
			date = strings.Join(strings.Fields(value), " ")
		case group == "day":
			day = value
		default:
			l.Attr = attr(l.Attr, group, strings.TrimSpace(value))
		}
	}
	l.settle()
	if l.Name == "" {
		p.rows = f.rows
		return Line{}, skip
	}
	return l, f.when(p, &l, date, day)
}

// when sets the time of a line. Another dialect may have a date in another form.
func (f *form) when(p *parser, l *Line, date, day string) verdict {
	ok := true
	switch f.layout {
	case inSeconds:
		l.Modified, l.Exact, l.Zoned = time.Unix(number(date), 0).UTC(), time.Second, true
		return entry
	case ofDOS:
		day, clock, _ := strings.Cut(date, " ")
		y, mo, d, isDate := dosDate(day)
		h, m, _, isClock := p.clock(clock)
		l.Modified, ok = dateOf(y, mo, d, h, m, 0), isDate && isClock
	case "":
		if l.Modified, ok = p.anyOrder(date, day); l.Modified.IsZero() {
			l.Attr = attr(l.Attr, "date", date)
		}
	default:
		t, err := time.Parse(f.layout, date)
		l.Modified, ok = t, err == nil
	}
	switch strings.Count(date, ":") {
	case 1:
		p.exact = time.Minute
	case 2:
		p.exact = time.Second
	}
	if !ok && date != "" {
		return no
	}
	return entry
}
