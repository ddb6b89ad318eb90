package urn

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
)

// describe returns a description of a urn:uuid (RFC 9562 section 4). It contacts nothing.
func (r *request) describe(_ context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	if err := env.Announce(p.When("")...); err != nil {
		return nil, err
	}
	text := describeUUID(string(*r.NSS))
	d := fetch.NewDocument(io.NopCloser(strings.NewReader(text)))
	d.Type, d.TypeReason, d.Size, d.End = "text/plain", "a description", int64(len(text)), fetch.EndDeclared
	return d, nil
}

func describeUUID(id string) string {
	id = strings.ToLower(id)
	text := "uuid " + id + "\n"
	switch {
	case strings.Trim(id, "0-") == "":
		return text + "the nil UUID (RFC 9562 section 5.9)\n"
	case strings.Trim(id, "f-") == "":
		return text + "the max UUID (RFC 9562 section 5.10)\n"
	case !strings.Contains("89ab", id[19:20]):
		return text + "of a variant other than that of RFC 9562\n"
	}
	text += fmt.Sprintf("version %s: %s\n", id[14:15], version(id[14]))
	if t, ok := timeOf(id); ok {
		text += "made " + t.UTC().Format(time.RFC3339Nano) + "\n"
	}
	return text
}

// version returns the meaning of a version number: RFC 9562 section 5.
func version(c byte) string {
	switch c {
	case '1':
		return "time and node"
	case '2':
		return "DCE security"
	case '3':
		return "a name, by MD5"
	case '4':
		return "random"
	case '5':
		return "a name, by SHA-1"
	case '6':
		return "time and node, in order"
	case '7':
		return "Unix time and random"
	case '8':
		return "somebody's own"
	}
	return "not assigned"
}

// gregorian is the number of units of 100 ns from 15 October 1582 to 1 January 1970: RFC 9562 section 5.1.
const gregorian = 0x01b21dd213814000

// timeOf returns the time in a UUID of version 1, 6 or 7.
func timeOf(id string) (time.Time, bool) {
	digits := ""
	switch id[14] {
	case '1':
		digits = id[15:18] + id[9:13] + id[:8]
	case '6':
		digits = id[:8] + id[9:13] + id[15:18]
	case '7':
		ms, err := strconv.ParseInt(id[:8]+id[9:13], 16, 64)
		return time.UnixMilli(ms), err == nil
	default:
		return time.Time{}, false
	}
	n, err := strconv.ParseInt(digits, 16, 64)
	n -= gregorian
	return time.Unix(n/1e7, n%1e7*100), err == nil
}
