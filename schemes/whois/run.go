package whois

import (
	"context"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/lineproto"
)

// headLen is how much of the response is searched for a referral or an error message before the document begins.
const headLen = 16 << 10

// runText sends the line and reads the beginning of the response. The document ends when the server closes the connection (RFC 3912).
func (r *request) runText(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	c, err := lineproto.Send(ctx, p, env, fetch.RecordTexts)
	if err != nil {
		return nil, err
	}
	head, whole, err := lineproto.Head(c, headLen, func([]byte) bool { return true })
	if err != nil {
		return nil, err
	}
	d := fetch.NewDocument(c)
	d.Type, d.TypeReason, d.End = p.Type, "whois sends text", fetch.EndClosed
	d.Referrals = r.referrals(p, wholeLines(string(head)))
	if len(d.Referrals) == 0 && whole {
		if err := failure(string(head)); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// wholeLines removes an unterminated last line, which may be the beginning of a longer one.
func wholeLines(s string) string { return s[:strings.LastIndexByte(s, '\n')+1] }

// failure returns the error that a complete response means, if any. RFC 3912 has no codes, so this knows only the messages of whole
// families of servers, and only as the first text that is not a comment.
//
// QUIRK: % and # begin the comments of the registries' servers. "%ERROR:101: no entries found" is the RIPE database's message, 201 and 202
// its refusals. IANA sends "% This query returned 0 objects.", Verisign "No match for", as the InterNIC did before.
func failure(whole string) error {
	if strings.TrimSpace(whole) == "" {
		return fetch.Errorf(fetch.ErrTruncated, "the server closed the connection without a response")
	}
	for line := range strings.Lines(whole) {
		line = strings.TrimSpace(line)
		kind := kindOf(strings.ToLower(strings.TrimLeft(line, "% ")))
		switch {
		case kind != "":
			return fetch.Errorf(kind, "the server replied: %s", line)
		case line == "" || line[0] == '%' || line[0] == '#':
		default:
			return nil
		}
	}
	return nil
}

// kindOf returns the Kind of a known message, "" for any other text. The line is in lower case and without its comment mark.
func kindOf(line string) fetch.Kind {
	for _, known := range []struct {
		kind   fetch.Kind
		begins []string
	}{
		{fetch.ErrNotFound, []string{"no match for ", "no match!!", "not found", "no entries found", "no data found", "no object found",
			"domain not found", "this query returned 0 objects", "error:101:"}},
		{fetch.ErrRefused, []string{"error:201:", "error:202:"}},
		{fetch.ErrUnavailable, []string{"query rate limit exceeded", "limit exceeded"}},
	} {
		if slices.ContainsFunc(known.begins, func(text string) bool { return strings.HasPrefix(line, text) }) {
			return known.kind
		}
	}
	return ""
}
