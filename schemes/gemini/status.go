package gemini

import (
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A status is the first line of an answer.
type status struct {
	code int
	meta string
}

// parseStatus reads "20 text/gemini". A lone code is one without meta, as earlier versions allow.
func parseStatus(line string) (status, error) {
	digits, meta, _ := strings.Cut(line, " ")
	if len(digits) != 2 || digits[0] < '1' || digits[0] > '6' || digits[1] < '0' || digits[1] > '9' {
		return status{}, fetch.Errorf(fetch.ErrProtocol, "the server's first line is no status: %q", line)
	}
	return status{int(digits[0]-'0')*10 + int(digits[1]-'0'), strings.TrimSpace(meta)}, nil
}

// failure is what the status says went wrong, nil for documents and redirects. A code that is not known means what the zero of its ten
// means (§ "Responses").
func (s status) failure() error {
	switch s.code / 10 {
	case 1:
		return s.wants()
	case 4:
		e := fetch.Errorf(fetch.ErrUnavailable, "the server says %d: %s", s.code, s.meta)
		if n, err := strconv.ParseUint(s.meta, 10, 31); err == nil && s.code == 44 { // slow down: the meta is how many seconds
			e.After = time.Duration(n) * time.Second
		}
		e.Busy = s.code == 41 || s.code == 44 // overload, slow down; the others are about the document
		return e
	case 5:
		kind := fetch.ErrRefused
		if s.code == 51 || s.code == 52 {
			kind = fetch.ErrNotFound
		}
		e := fetch.Errorf(kind, "the server says %d: %s", s.code, s.meta)
		e.Gone = kind == fetch.ErrNotFound
		return e
	case 6:
		wanted := "another"
		if s.code == 60 {
			wanted = "a"
		}
		e := fetch.Errorf(fetch.ErrAuth, "the server wants %s client certificate, and says %d: %s", wanted, s.code, s.meta)
		e.Hint = "--cert FILE shows one"
		return e
	}
	return nil
}

func (s status) wants() error {
	if s.code == 11 {
		return &fetch.Error{Kind: fetch.ErrAuth, Text: "the server asks for a secret: " + s.meta, Hint: "-u :SECRET answers"}
	}
	return &fetch.Error{Kind: fetch.ErrInteractive, Text: "the server asks: " + s.meta, Hint: "--search WORDS answers"}
}

// referral reads a redirect, whose meta is a reference relative to the request.
func (s status) referral(request uri.URI) (fetch.Referral, error) {
	u, err := uri.Parse(s.meta)
	if err == nil {
		u = request.Resolve(u)
	}
	if err != nil || s.meta == "" || !u.IsAbs() {
		return fetch.Referral{}, fetch.Errorf(fetch.ErrProtocol, "the server redirects to %q, which is no URI", s.meta)
	}
	reason := "30 temporary redirect"
	if s.code == 31 {
		reason = "31 permanent redirect"
	}
	return fetch.Referral{URI: u, Reason: reason}, nil
}

// mediaType is the document's type; where the server gives none, earlier versions have the default.
func (s status) mediaType() (t, reason string, err error) {
	if s.meta == "" {
		return "text/gemini; charset=utf-8", "the protocol's default", nil
	}
	if !strings.Contains(s.meta, "/") || strings.ContainsFunc(s.meta, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", "", fetch.Errorf(fetch.ErrProtocol, "the server gives %q for a media type", s.meta)
	}
	return s.meta, "the server's status line", nil
}
