package mail

import (
	"errors"
	"io"
	"mime"
	"net"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/uri"
)

// maxParts bounds the parts of a message.
const maxParts = 10000

// partOf reads a message until the part of a Content-ID is there, and returns it without its transfer encoding. The Document closes in.
func partOf(in io.ReadCloser, l fetch.Limits, contentID string) (*fetch.Document, error) {
	s := &seeker{id: contentID}
	p, err := mimemail.Find(in, mimemail.Limits{Depth: l.Nesting, Parts: maxParts}, s.found)
	if err != nil {
		return nil, partError(err)
	}
	if p == nil {
		return nil, fetch.Errorf(fetch.ErrNotFound, "the message has no part <%s>", contentID)
	}
	if list := external(p.Header); len(list) > 0 {
		d := fetch.NewDocument(nil)
		d.Referrals = list
		return d, in.Close()
	}
	r, known := p.Decoded()
	d := fetch.NewDocument(&partBody{r: r, in: in})
	d.Type, d.TypeReason, d.End = typeOf(p.Header), "Content-Type of the part", fetch.EndTerminated
	if !known {
		d.TypeReason += ", in the unknown encoding " + clip(p.Get("Content-Transfer-Encoding"))
	}
	for _, f := range p.Header {
		d.Header.Add(f.Name, mimemail.Words(f.Value))
	}
	return d, nil
}

// seeker looks for the part of a Content-ID, at the parts in their order.
type seeker struct {
	id    string
	root  bool   // it names a multipart/related, of which its root is meant
	inner int    // how deep the root is
	start string // the root's Content-ID, "" the first part
}

// found reports whether p is it. The Content-ID of a multipart/related stands for its root: the part that start names, or else the
// first (RFC 2387 section 3.2). That of a message/external-body stands in the header within it (RFC 2046 section 5.2.3).
func (s *seeker) found(p *mimemail.Entity) bool {
	t, params := p.Type()
	switch {
	case s.root:
		return len(p.Path) == s.inner && (s.start == "" || p.ContentID() == s.start)
	case p.ContentID() == s.id && t == "multipart/related":
		s.root, s.inner, s.start = true, len(p.Path)+1, mimemail.TrimID(params["start"])
		return false
	case t == externalType && p.ContentID() == "":
		inner, _ := io.ReadAll(io.LimitReader(p.Raw(), mimemail.MaxHeader))
		return mimemail.ParseHeader(inner).ContentID() == s.id
	}
	return p.ContentID() == s.id
}

// externalType is the media type of a part that is elsewhere.
const externalType = "message/external-body"

// typeOf is the media type with its parameters.
func typeOf(h mimemail.Header) string {
	t, params := h.Type()
	if s := mime.FormatMediaType(t, params); s != "" {
		return s
	}
	return t
}

// partBody is the Body of a part.
type partBody struct {
	r  io.Reader
	in io.Closer
}

func (b *partBody) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	return n, partError(err)
}

func (b *partBody) Close() error { return b.in.Close() }

// partError gives the kinds to what is wrong with a message.
func partError(err error) error {
	switch {
	case err == nil, err == io.EOF, fetch.KindOf(err) != "":
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fetch.Errorf(fetch.ErrTruncated, "the message ends within a part: %w", err)
	case errors.Is(err, mimemail.ErrDepth), errors.Is(err, mimemail.ErrParts):
		return fetch.Errorf(fetch.ErrLimit, "%w", err)
	}
	return fetch.Errorf(fetch.ErrDecode, "the part does not decode: %w", err)
}

// external makes URIs of a message/external-body: RFC 2046 section 5.2.3, RFC 2017.
func external(h mimemail.Header) []fetch.Referral {
	t, p := h.Type()
	if t != externalType {
		return nil
	}
	access, text := strings.ToLower(p["access-type"]), ""
	switch access {
	case "url":
		text = strings.Join(strings.Fields(p["url"]), "")
	case "anon-ftp", "ftp":
		text = "ftp://" + hostOf(p["site"]) + "/"
		if dir := strings.Trim(p["directory"], "/"); dir != "" {
			text += escapeIn(dir, "/") + "/"
		}
		text += escapeIn(p["name"], "")
		if p["mode"] == "ascii" {
			text += ";type=a"
		}
	case "mail-server":
		text = "mailto:" + escapeIn(p["server"], "@") + "?subject=" + escapeIn(p["subject"], "")
	default:
		return nil
	}
	u, err := uri.Parse(text)
	if err != nil || !u.IsAbs() {
		return nil
	}
	return []fetch.Referral{{URI: u, Reason: "message/external-body, access-type " + access}}
}

func hostOf(site string) string {
	if ip := net.ParseIP(site); ip != nil && ip.To4() == nil {
		return "[" + site + "]"
	}
	return escapeIn(site, "")
}
