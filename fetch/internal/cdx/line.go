// Package cdx is the text of an archive's index: the keys by which its lines are sorted, lines in CDXJ, the format of pywb and warcio, and lines in
// the older "CDX file format" of the Internet Archive.
package cdx

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// A Line is about one record.
type Line struct {
	Key  string
	Date time.Time // in seconds
	Fields
}

// Fields are the fields of a line that are used here.
type Fields struct {
	URL      string `json:"url"`
	Mime     string `json:"mime,omitempty"`
	Status   Number `json:"status,omitempty"`
	Digest   string `json:"digest,omitempty"`
	Length   Number `json:"length"`
	Offset   Number `json:"offset"`
	Filename string `json:"filename"`

	// Other programs ignore these fields.
	Within Number `json:"within,omitempty"` // bytes before the record in its compressed member
	Notes  string `json:"notes,omitempty"`  // of package warc, in indexes that it keeps for itself
}

// A Number is -1 if it is unknown. QUIRK: warcio and pywb write numbers as strings, as we do, others as numbers, and "-" for an unknown one.
type Number int64

// MarshalText writes a Number for a string of JSON.
func (n Number) MarshalText() ([]byte, error) { return strconv.AppendInt(nil, int64(n), 10), nil }

// UnmarshalJSON accepts all forms.
func (n *Number) UnmarshalJSON(b []byte) error {
	i, err := strconv.ParseInt(strings.Trim(string(b), `"`), 10, 64)
	if err != nil || i < 0 {
		i = -1
	}
	*n = Number(i)
	return nil
}

const stamp = "20060102150405"

// String returns the line in CDXJ, without its end.
func (l *Line) String() string {
	b, _ := json.Marshal(l.Fields) // strings and numbers
	return l.Key + " " + l.Date.UTC().Format(stamp) + " " + string(b)
}

// Parse parses a line in CDXJ. It returns false for a header and for other lines that are not about a record.
func Parse(line string) (l Line, ok bool) {
	key, rest, ok := strings.Cut(line, " ")
	date, object, ok2 := strings.Cut(rest, " ")
	if !ok || !ok2 || json.Unmarshal([]byte(object), &l.Fields) != nil {
		return l, false
	}
	l.Key = key
	return l, l.complete(date)
}

// Columns are the letters of the columns of a CDX file.
type Columns []string

// ParseHeader parses the header of a CDX file.
func ParseHeader(line string) (Columns, bool) {
	c := strings.Fields(line)
	if len(c) < 3 || c[0] != "CDX" {
		return nil, false
	}
	return c[1:], true
}

// Parse parses a line of a file with these columns, and of one without as Parse does.
func (columns Columns) Parse(line string) (l Line, ok bool) {
	if columns == nil {
		return Parse(line)
	}
	values := strings.Fields(line)
	if len(values) != len(columns) || values[0] == "CDX" {
		return l, false
	}
	date := ""
	l.Offset = -1
	for i, c := range columns {
		number := Number(-1)
		number.UnmarshalJSON([]byte(values[i]))
		switch c {
		case "a":
			l.URL = values[i]
		case "b":
			date = values[i]
		case "k":
			l.Digest = values[i]
		case "m":
			l.Mime = values[i]
		case "s":
			l.Status = number
		case "V", "v":
			l.Offset = number
		case "S":
			l.Length = number
		case "g":
			l.Filename = values[i]
		}
	}
	return l, l.complete(date)
}

// complete sets the date, and reports whether the line is about a record.
func (l *Line) complete(date string) bool {
	l.Date, _ = time.Parse(stamp, date)
	return l.URL != "" && l.Offset >= 0
}
