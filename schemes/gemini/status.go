package gemini

import (
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/gemtext"
	"example.org/deref/fetch/hint"
	"example.org/deref/schemes/internal/replies"
	"example.org/deref/uri"
)

// statuses is the table of status codes. An unknown code means the same as the one that ends in zero (section "Responses").
const statuses replies.Table = `11                          auth: the server wants a secret, the password for the host
other 1x                    interactive: the server wants input, the words of a search
2x                          the document, up to the close
3x                          a referral, followed to gemini only
4x                          unavailable
51, 52                      notfound
other 5x                    refused
6x                          auth: the server wants a client certificate, or another one
another, or none            protocol
close without close_notify  truncated
a byte range                range: the protocol has none
`

// A status is the first line of a response.
type status struct {
	code int
	meta string
}

// parseStatus parses "20 text/gemini". Meta may be missing, as earlier versions of the protocol allow.
func parseStatus(line string) (status, error) {
	digits, meta, _ := strings.Cut(line, " ")
	if len(digits) != 2 || digits[0] < '1' || digits[0] > '6' || digits[1] < '0' || digits[1] > '9' {
		return status{}, fetch.Errorf(fetch.ErrProtocol, "bad status line: %q", line)
	}
	return status{int(digits[0]-'0')*10 + int(digits[1]-'0'), strings.TrimSpace(meta)}, nil
}

// failure returns the error that the status means. It returns nil for documents and redirects.
func (s status) failure() error {
	kind, _ := statuses.Kind(strconv.Itoa(s.code))
	if kind == "" {
		return nil
	}
	e := fetch.Errorf(kind, "the server returned %d: %s", s.code, s.meta)
	switch {
	case s.code == 11:
		e.Text, e.Hint, e.Question = "the server wants a secret: "+s.meta, hint.Password, s.meta
		e.Asks, e.Realm = true, s.meta
	case kind == fetch.ErrInteractive:
		e.Text, e.Hint, e.Question = "the server wants input: "+s.meta, hint.Search, s.meta
	case s.code == 60:
		e.Text, e.Hint = "the server wants a client certificate: "+s.meta, hint.Set+" gemini.cert=FILE"
	case kind == fetch.ErrAuth:
		e.Hint = hint.Set + " gemini.cert=FILE"
	case s.code == 44: // slow down: meta is the number of seconds
		if n, err := strconv.ParseUint(s.meta, 10, 31); err == nil {
			e.After = time.Duration(n) * time.Second
		}
	}
	e.Busy = s.code == 41 || s.code == 44 // server unavailable, slow down; other codes concern the document
	e.Gone = kind == fetch.ErrNotFound
	return e
}

// referral parses a redirect, whose meta is a reference relative to the request.
func (s status) referral(request uri.URI) (fetch.Referral, error) {
	u, err := uri.Parse(s.meta)
	if err == nil {
		u = request.Resolve(u)
	}
	if err != nil || s.meta == "" || !u.IsAbs() {
		return fetch.Referral{}, fetch.Errorf(fetch.ErrProtocol, "the server redirects to %q, which is not a URI", s.meta)
	}
	reason := "30 temporary redirect"
	if s.code == 31 {
		reason = "31 permanent redirect"
	}
	return fetch.Referral{URI: u, Reason: reason, Permanent: s.code == 31}, nil
}

// mediaType returns the document's type. Earlier versions of the protocol have a default for an empty meta.
func (s status) mediaType() (string, error) {
	if s.meta == "" {
		return "text/gemini; charset=utf-8", nil
	}
	if !gemtext.IsType(s.meta) {
		return "", fetch.Errorf(fetch.ErrProtocol, "bad media type: %q", s.meta)
	}
	return s.meta, nil
}
