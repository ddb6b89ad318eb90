package http

import (
	"regexp"
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// rangeField returns the value of Range for one byte range, "" for the whole. RFC 9110 section 14.1.2.
func rangeField(r fetch.Range) string {
	switch {
	case r.IsZero():
		return ""
	case r.From < 0:
		return "bytes=" + strconv.FormatInt(r.From, 10)
	case r.To == 0:
		return "bytes=" + strconv.FormatInt(r.From, 10) + "-"
	}
	return "bytes=" + strconv.FormatInt(r.From, 10) + "-" + strconv.FormatInt(r.To-1, 10)
}

// ifRange returns the value of If-Range, which makes the range depend on the state of the document: its tag unless that is weak, else its
// date. RFC 9110 section 13.1.5.
func ifRange(v fetch.Validator) string {
	if v.Tag != "" && !strings.HasPrefix(v.Tag, "W/") {
		return v.Tag
	}
	return v.Modified
}

// differs reports whether the validators of a range show that it is from another state of the document than want. It compares tags strongly
// (RFC 9110 section 8.8.3.2), which a 206 must have (section 15.3.7), or else dates and sizes if the response has them.
func differs(want, now fetch.Validator) bool {
	switch {
	case want.Size > 0 && now.Size > 0 && want.Size != now.Size:
		return true
	case want.Tag != "":
		return want.Tag != now.Tag || strings.HasPrefix(want.Tag, "W/")
	}
	return want.Modified != "" && now.Modified != "" && want.Modified != now.Modified
}

// contentRange parses the field of a 206 or 416: [from,to) of size. An unknown size is -1; from is -1 in the form of a 416. RFC 9110
// section 14.4. There must be one field, because two may contradict each other.
func contentRange(values []string) (from, to, size int64, ok bool) {
	if len(values) != 1 {
		return 0, 0, 0, false
	}
	found := regexp.MustCompile(`^(?i:bytes)\s+(?:(\d+)-(\d+)|\*)/(?:(\d+)|\*)$`).FindStringSubmatch(strings.TrimSpace(values[0]))
	if found == nil {
		return 0, 0, 0, false
	}
	if size = -1; found[3] != "" {
		if size, ok = digits(found[3]); !ok {
			return 0, 0, 0, false
		}
	}
	if found[1] == "" {
		return -1, -1, size, size >= 0
	}
	from, okA := digits(found[1])
	last, okB := digits(found[2])
	if !okA || !okB || last < from || size >= 0 && last >= size {
		return 0, 0, 0, false
	}
	return from, last + 1, size, true
}

// digits parses 1*DIGIT. It returns false if s is anything else, or too large.
func digits(s string) (int64, bool) {
	n, err := strconv.ParseUint(s, 10, 62)
	return int64(n), err == nil
}

// isWanted reports whether [from,to) of size is the range r.
func isWanted(r fetch.Range, from, to, size int64) bool {
	if size < 0 {
		return from == r.From && (r.To == 0 || to == r.To)
	}
	first, end, err := r.Of(size)
	return err == nil && from == first && to == end
}

// wholeSuffices reports whether the whole document is an acceptable answer to the request. Servers may ignore Range (RFC 9110 section
// 14.2). The whole contains a range that goes on to the end, and Document.Offset shows the difference, as for a document that has changed
// (If-Range). For any other range, the caller could not tell the difference.
func (x *exchange) wholeSuffices() bool {
	o := x.plan.Options
	r := o.Range
	if r.From >= 0 && r.To == 0 || r.From > 0 && ifRange(o.IfSame) != "" || o.Op != fetch.Retrieve {
		return true
	}
	size := x.size
	if size == framed {
		size, _ = contentLength(x.head.header["Content-Length"])
	}
	return size >= 0 && isWanted(r, 0, size, size)
}
