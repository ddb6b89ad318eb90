package mail

import (
	"context"
	"io"
	"mime"
	"net"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/uri"
)

// A cidRequest is a parsed cid URI.
type cidRequest struct {
	id    string
	input func() (io.ReadCloser, error) // Config.Input
}

// planCid searches only the message that contains the reference (RFC 2392 section 2).
func (c Config) planCid(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	ids, err := parseIDs(u)
	if err != nil {
		return nil, err
	}
	if err := onlyWhole(o, "cid"); err != nil {
		return nil, err
	}
	r := &cidRequest{id: string(*ids.ContentID), input: c.Input}
	in := "<the message on standard input>"
	if !o.Base.IsZero() {
		in = o.Base.WithoutUserinfo().String()
	}
	return &fetch.Plan{
		TLS: fetch.NoTLS, Shape: fetch.ShapeDocument,
		Steps: []fetch.Step{{Verb: "part", Args: []string{in}, Data: "<" + r.id + ">"}}, Run: r.run,
	}, nil
}

// run reads the message up to the part.
func (r *cidRequest) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	if err := env.Announce(p.When("")[0]); err != nil {
		return nil, err
	}
	in, err := r.message(ctx, p, env)
	if err != nil {
		return nil, err
	}
	return partOf(in, env.Limits().Nesting, r.id)
}

// message opens the message of Options.Base, or the program's input.
func (r *cidRequest) message(ctx context.Context, p *fetch.Plan, env *fetch.Env) (io.ReadCloser, error) {
	if p.Options.Base.IsZero() && r.input != nil {
		return r.input()
	}
	d, err := env.Base(ctx)
	if err != nil {
		if d != nil {
			d.Body.Close()
		}
		return nil, err
	}
	return d.Body, nil
}

// partOf returns the part of a message with a Content-ID, without its transfer encoding. The Document closes in, and so does an error.
func partOf(in io.ReadCloser, nesting int, contentID string) (*fetch.Document, error) {
	f := &partFinder{id: contentID}
	p, err := mimemail.Find(in, nesting, f.match)
	if err == nil && p == nil {
		err = fetch.Errorf(fetch.ErrNotFound, "the message has no part <%s>", contentID)
	}
	if err != nil {
		in.Close()
		return nil, maildoc.PartError(err)
	}
	if list := externalBody(p.Header); len(list) > 0 {
		d := fetch.NewDocument(nil)
		d.Referrals = list
		return d, in.Close()
	}
	r, known := p.Decoded()
	d := fetch.NewDocument(maildoc.PartBody(r, in.Close))
	d.Type, d.TypeReason, d.End = typeOf(p.Header), "Content-Type of the part", fetch.EndTerminated
	if !known {
		d.TypeReason += ", in the unknown encoding " + clip(p.Get("Content-Transfer-Encoding"))
	}
	for _, f := range p.Header {
		d.Header.Add(f.Name, mimemail.EncodedWords(f.Value))
	}
	return d, nil
}

// A partFinder finds the part with a Content-ID. Its match is called with the parts in order.
type partFinder struct {
	id        string
	inRelated bool   // the id names a multipart/related: its root is wanted
	depth     int    // of the root
	start     string // the root's Content-ID, "" for the first part
}

// match reports whether p is the part. The Content-ID of a multipart/related stands for its root: the part that start names, or else the
// first (RFC 2387 section 3.2). The Content-ID of a message/external-body is in the header within it (RFC 2046 section 5.2.3).
func (f *partFinder) match(p *mimemail.Entity) bool {
	t, params := p.Type()
	switch {
	case f.inRelated:
		return len(p.Path) == f.depth && (f.start == "" || p.ContentID() == f.start)
	case p.ContentID() == f.id && t == "multipart/related":
		f.inRelated, f.depth, f.start = true, len(p.Path)+1, mimemail.TrimID(params["start"])
		return false
	case t == externalType && p.ContentID() == "":
		inner, _ := io.ReadAll(io.LimitReader(p.Raw(), mimemail.MaxHeader))
		return mimemail.ParseHeader(inner).ContentID() == f.id
	}
	return p.ContentID() == f.id
}

// externalType is the media type of a part whose body is stored elsewhere.
const externalType = "message/external-body"

// typeOf returns the media type with its parameters.
func typeOf(h mimemail.Header) string {
	t, params := h.Type()
	if s := mime.FormatMediaType(t, params); s != "" {
		return s
	}
	return t
}

// externalBody returns the URI of a message/external-body (RFC 2046 section 5.2.3, RFC 2017). It returns nil for anything else.
func externalBody(h mimemail.Header) []fetch.Referral {
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
