package warc

import (
	"io"
	"strconv"
	"strings"
	"time"
)

// versionARC is the Version of a record in ARC, the format that preceded WARC.
const versionARC = "ARC"

// filedesc is the scheme of the first record in an ARC file.
const filedesc = "filedesc://"

// arc parses the first line of an ARC record, version 1 of the format, which the Internet Archive wrote from 1996 to 2008: URL, IP address,
// date, media type and length. The record gets the equivalent WARC fields. arc returns nil if the line is not one of those. Only a file
// that begins with a description of itself is an ARC file.
func (r *Reader) arc(line string, at int64) (*Record, error) {
	isFirst := strings.HasPrefix(line, filedesc)
	if !r.isARC && (!isFirst || r.in.start+at > 0) { // a document within a WARC file may look like one
		return nil, nil
	}
	words, ok := arcWords(line)
	if !ok {
		return nil, nil
	}
	r.isARC = true
	n, err := strconv.ParseInt(words[4], 10, 64)
	isBroken := err != nil || n < 0
	if isBroken {
		n = 0 // as in other tools
	}
	rec := r.recordAt(at)
	rec.Version, rec.Size = versionARC, n
	rec.arcFields(words, isFirst)
	if isFirst && isBroken {
		return rec, r.skipLines()
	}
	return rec, nil
}

// arcWords splits a line from its end, since URLs may contain blanks.
func arcWords(line string) (words [5]string, ok bool) {
	rest := strings.TrimRight(line, " ")
	for i := 4; i > 0; i-- {
		n := strings.LastIndexByte(rest, ' ')
		if n < 0 {
			return words, false
		}
		words[i], rest = rest[n+1:], rest[:n]
	}
	words[0] = rest
	scheme, _, ok := strings.Cut(rest, ":")
	return words, ok && scheme != "" && len(words[2]) >= 8 && strings.Trim(words[2], "0123456789") == ""
}

func (r *Record) arcFields(words [5]string, isFirst bool) {
	kind, media := Response, words[3]
	if isFirst {
		kind = Warcinfo
		r.Fields.add("WARC-Filename", strings.TrimPrefix(words[0], filedesc))
	} else {
		r.Fields.add("WARC-Target-URI", words[0])
		r.Fields.add("WARC-IP-Address", words[1])
		if scheme, _, _ := strings.Cut(strings.ToLower(words[0]), ":"); scheme == "http" || scheme == "https" {
			media = ResponseType
		}
	}
	r.Fields.add("WARC-Type", kind)
	r.Fields.add("WARC-Date", arcDate(words[2]))
	r.Fields.add("Content-Type", media)
	r.Fields.add("Content-Length", strconv.FormatInt(r.Size, 10))
}

// arcDate converts a date of 14 digits to the format of WARC-Date. Some dates have no seconds, some too many digits. It returns "" if the
// digits are not a date.
func arcDate(digits string) string {
	const layout = "20060102150405"
	if len(digits) == len(layout)-2 {
		digits += "00"
	}
	t, err := time.Parse(layout, digits[:min(len(digits), len(layout))])
	if err != nil {
		return ""
	}
	return t.Format(time.RFC3339)
}

// skipLines skips to the empty line that ends a description of unknown length.
func (r *Reader) skipLines() error {
	for {
		line, err := r.line()
		if err == io.EOF || err == nil && line == "" {
			return nil
		}
		if err != nil {
			return r.cut(err)
		}
	}
}
