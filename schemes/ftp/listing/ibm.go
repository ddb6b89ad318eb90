package listing

import (
	"strings"
	"time"
)

// os400 parses "OWNER  1024 02/23/94 12:00:00 *DIR  name/" and, for members of a file, "OWNER   *MEM  NAME.MBR" in the listing of the file, whose own
// line has no name, and "OWNER   *MEM  FILE.FILE/NAME.MBR" in that of its library. The order of day, month and year is a setting of the job.
func os400(p *parser, line string, f []field) (Line, verdict) {
	at := 1
	for at < len(f) && f[at].text[0] != '*' {
		at++
	}
	if at == 4 && at+1 == len(f) && f[at].text == "*FILE" && number(f[1].text) >= 0 {
		return Line{}, skip
	}
	if at != 1 && at != 4 || at+1 >= len(f) || len(f[at].text) < 3 {
		return Line{}, no
	}
	l := Line{Kind: File, Size: -1, Name: line[f[at+1].start:]}
	if at == 4 {
		h, m, s, isClock := p.clock(f[3].text)
		t, isDate := p.anyOrder(f[2].text, h, m, s, nil)
		if !isClock || !isDate || number(f[1].text) < 0 {
			return Line{}, no
		}
		l.Size, l.Modified = number(f[1].text), t
		if t.IsZero() {
			l.Attr = attr(l.Attr, "date", f[2].text+" "+f[3].text)
		}
	} else if f[at].text != "*MEM" {
		return Line{}, no
	}
	switch f[at].text {
	case "*DIR", "*DDIR", "*FLR", "*LIB":
		l.Kind = Dir
	}
	if name, ok := strings.CutSuffix(l.Name, "/"); ok {
		l.Kind, l.Name = Dir, name
	}
	if f[at].text != "*MEM" { // RETR has the name of a member as it is listed
		l.Name = l.Name[strings.LastIndexByte(l.Name, '/')+1:]
	}
	if l.Name == "" {
		return Line{}, no
	}
	l.Attr = attr(attr(l.Attr, "owner", f[0].text), "type", f[at].text)
	return l, entry
}

// jes parses the jobs of z/OS, which are retrieved by their number: "NAME1  JOB01906  OUTPUT    3 Spool Files" and, with a heading,
// "NAME1  JOB01906 OWNER  OUTPUT A  RC=0000 3 spool files".
func jes(_ *parser, line string, f []field) (Line, verdict) {
	if len(f) < 3 {
		return Line{}, no
	}
	if f[0].text == "JOBNAME" && f[1].text == "JOBID" {
		return Line{}, skip
	}
	id := f[1].text
	digits := strings.TrimLeft(id, "JOBTSUC")
	if len(id) != 8 || len(digits) < 5 || len(digits) > 7 || number(digits) < 0 {
		return Line{}, no
	}
	state := 2
	if !jobState(f[2].text) {
		state = 3
	}
	if state >= len(f) || !jobState(f[state].text) {
		return Line{}, no
	}
	l := Line{Kind: File, Name: id, Size: -1}
	l.Attr = attr(attr(l.Attr, "job", f[0].text), "state", f[state].text)
	if state == 3 {
		l.Attr = attr(l.Attr, "owner", f[2].text)
	}
	return l, entry
}

func jobState(s string) bool {
	switch s {
	case "INPUT", "ACTIVE", "OUTPUT", "HELD":
		return true
	}
	return false
}

// zvm parses "NAME  TYPE  V  65  107  2 1994-12-20 12:00:00 OWNER": name, type, format, length and number of records, blocks.
func zvm(p *parser, line string, f []field) (Line, verdict) {
	if len(f) < 8 || len(f[0].text) > 16 || len(f[1].text) > 8 {
		return Line{}, no
	}
	l := Line{Kind: File, Name: f[0].text + "." + f[1].text, Size: -1}
	switch f[2].text {
	case "V", "F":
		if number(f[3].text) < 0 || number(f[4].text) < 0 {
			return Line{}, no
		}
		l.Attr = attr(l.Attr, "records", f[4].text)
	case "DIR":
		l.Kind, l.Name = Dir, f[0].text
	default:
		return Line{}, no
	}
	t, err := time.ParseInLocation("2006-01-02 15:04:05", f[6].text+" "+f[7].text, p.o.Zone)
	if err != nil {
		return Line{}, no
	}
	l.Modified, l.Exact = t, time.Second
	return l, entry
}
