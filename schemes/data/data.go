// Package data dereferences data URIs (RFC 2397), which contain their document:
//
//	data:[type/subtype][;attribute=value]...[;base64],data
//
// Nothing is contacted, and the one step of the plan is the decoding. It takes place while planning, so that a bad URI is refused at once:
//
//	no comma               refused-url
//	invalid base64         refused-url
//	a range after the end  range
//
// Base64 is decoded as browsers do (the "forgiving" decoding of the WHATWG): escapes are decoded first, and neither white space nor missing
// padding matter. An invalid media type is replaced by the default, text/plain in US-ASCII.
package data

import (
	"context"
	"encoding/base64"
	"io"
	"mime"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/replies"
	"example.org/deref/uri"
)

// Scheme returns the scheme data.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:   []string{"data"},
		Does:    fetch.Does{Retrieves: true},
		Local:   true,
		Summary: "an object that stands in its own URI",
		Spec:    "RFC 2397",
		Help: func() string {
			return "data:[type][;attribute=value]...[;base64],data. Nothing is contacted.\n\n" + string(outcomes)
		},
		Read: func(u uri.URI, _ uri.Mode) (any, error) { return parse(u) },
		Plan: plan,
	}
}

const outcomes replies.Table = `no comma               refused-url
invalid base64         refused-url
a range after the end  range
`

// defaultType is the type of a document whose URI names none (RFC 2397 section 2).
const defaultType = "text/plain;charset=US-ASCII"

// A request is a parsed data URI.
type request struct {
	Scheme string       `json:"scheme"`
	Type   string       `json:"type"`
	Reason string       `json:"-"`
	Base64 bool         `json:"base64"`
	Data   fetch.Octets `json:"data"`
}

// parse parses u. A question mark is data, because the scheme is not hierarchical (RFC 2397 section 3: dataurl contains uric).
func parse(u uri.URI) (*request, error) {
	head, body, ok := strings.Cut(string(u.Opaque()), ",")
	if !ok {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "comma missing in the data URI")
	}
	r := &request{Scheme: u.Scheme()}
	head, r.Base64 = cutBase64(head)
	r.Type, r.Reason = mediaType(head)
	data := uri.Escaped(body).Decode()
	if r.Base64 {
		b, err := decode(data)
		if err != nil {
			return nil, err
		}
		data = string(b)
	}
	r.Data = fetch.Octets(data)
	return r, nil
}

// cutBase64 cuts ";base64" off the end, the only place where it is not a parameter.
func cutBase64(head string) (string, bool) {
	const mark = ";base64"
	if n := len(head) - len(mark); n >= 0 && strings.EqualFold(head[n:], mark) {
		return head[:n], true
	}
	return head, false
}

func mediaType(head string) (mediaType, reason string) {
	switch {
	case head == "":
		return defaultType, "the default of data URIs"
	case head[0] == ';': // "As a shorthand, text/plain can be omitted but the charset parameter supplied."
		head = "text/plain" + head
	}
	t := uri.Escaped(head).Decode()
	if !isType(t) {
		return defaultType, "the URI's media type is invalid"
	}
	return t, "the URI"
}

// isType reports whether t is type/subtype with parameters, and has no character that could end a header line.
func isType(t string) bool {
	bare, _, _ := strings.Cut(t, ";")
	_, _, err := mime.ParseMediaType(bare)
	return err == nil && strings.Contains(bare, "/") && !strings.ContainsFunc(t, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// decode is the forgiving-base64 decode of the WHATWG's Infra standard, section 7.
func decode(s string) ([]byte, error) {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune("\t\n\f\r ", r) {
			return -1
		}
		return r
	}, s)
	if len(s)%4 == 0 {
		s = strings.TrimSuffix(strings.TrimSuffix(s, "="), "=")
	}
	b, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "invalid base64: %w", err)
	}
	return b, nil
}

func plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := parse(u)
	if err != nil {
		return nil, err
	}
	if _, _, err := o.Range.Of(int64(len(r.Data))); err != nil {
		return nil, err
	}
	coding := "escapes"
	if r.Base64 {
		coding = "base64"
	}
	return &fetch.Plan{
		Shape: fetch.ShapeDocument, Type: r.Type, Run: r.run,
		Steps: []fetch.Step{{Verb: "decode", Args: []string{coding}}},
	}, nil
}

func (r *request) run(_ context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	if err := env.Announce(p.When("")...); err != nil {
		return nil, err
	}
	from, to, err := p.Options.Range.Of(int64(len(r.Data)))
	if err != nil {
		return nil, err
	}
	if p.Options.Op == fetch.Metadata {
		to = from
	}
	d := fetch.NewDocument(io.NopCloser(strings.NewReader(string(r.Data[from:to]))))
	d.Type, d.TypeReason, d.End = r.Type, r.Reason, fetch.EndDeclared
	d.Size, d.Offset = int64(len(r.Data)), from
	return d, nil
}
