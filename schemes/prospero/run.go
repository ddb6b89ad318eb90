package prospero

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
	"net/netip"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/schemes/prospero/internal/wire"
	"example.org/deref/uri"
)

// A session resolves one request.
type session struct {
	*request
	server
	ctx  context.Context
	plan *fetch.Plan
	env  *fetch.Env
	net  *fetch.Packets
	own  place  // of the object
	id   uint16 // of the next exchange
}

// run requests the access methods, and the object itself or its links if no method refers to another server.
func (r *request) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	packets, err := env.Packets(ctx, p.Addr)
	if err != nil {
		return nil, err
	}
	s := &session{request: r, ctx: ctx, plan: p, env: env, net: packets, id: randomID(env)}
	s.locate()
	d, err := s.resolve()
	if to, ok := errors.AsType[redirected](err); ok {
		return s.moved(to)
	}
	return d, err
}

// locate sets the server and the object's place on it.
func (s *session) locate() {
	host, p, _ := net.SplitHostPort(s.plan.Addr)
	s.server.host = strings.ToLower(host)
	if !s.mode.Drafts() {
		s.server.self, _ = parsed(s.plan.URI.String() + ";" + fieldMethod + "=" + contents)
	}
	s.server.port, _ = strconv.Atoi(p)
	s.own = place{hostType: "INTERNET-D", host: s.server.host, hsoType: "ASCII", hsoname: string(s.HSOName)}
}

func (s *session) resolve() (*fetch.Document, error) {
	chosen := len(s.Attributes) > 0
	if s.plan.Shape == fetch.ShapeDocument && !chosen {
		return s.contents(s.plan.When(""))
	}
	c, err := s.send(s.plan.When(""))
	if err != nil {
		return nil, err
	}
	about, err := readInfo(wire.NewScanner(c, s.env.Limits().Reply))
	if err != nil && !isNotFound(err) {
		return nil, err
	}
	if list := s.elsewhere(about); len(list) > 0 {
		return referring(list...), nil
	}
	if s.plan.Options.Op == fetch.Metadata {
		return s.metadata(about), err
	}
	if chosen {
		return s.chosen(about, err)
	}
	if strings.HasPrefix(valueOf(about.attributes, "UNIX-MODES"), "d") {
		return s.list(nil)
	}
	list, direct := s.referrals(about.attributes, s.own)
	switch {
	case direct && len(list) == 0:
		d, err := s.contents(s.plan.When(ifContents))
		if err == errNoContents {
			return s.list(err)
		}
		return d, err
	case len(list) > 0:
		return referring(list...), nil
	}
	if names := methodsOf(about.attributes); err == nil && names != "" {
		err = fetch.Errorf(fetch.ErrUnsupported, "the object can only be reached by %s", names)
	}
	return s.list(err)
}

// elsewhere returns the referrals of a server that does not have the object itself.
func (s *session) elsewhere(about info) (list []fetch.Referral) {
	if about.forwarded != nil {
		if u, ok := s.with(s.prospero(*about.forwarded)); ok {
			return []fetch.Referral{{URI: u, Reason: "forwarded"}}
		}
	}
	if len(about.rest) == 0 {
		return nil
	}
	for _, l := range about.links {
		if u, ok := s.with(s.prospero(l.at, about.rest...)); ok {
			list = append(list, fetch.Referral{URI: u, Reason: "unresolved there"})
		}
	}
	return list
}

// with adds the attributes of this URI to that of the object elsewhere.
func (s *session) with(u uri.URI, ok bool) (uri.URI, bool) {
	if !ok || len(s.Attributes) == 0 {
		return u, ok
	}
	text := u.String()
	if !strings.Contains(text, "%00") {
		text += "%00"
	}
	for _, a := range s.Attributes {
		text += "%00" + escape(string(a), "")
	}
	return parsed(text)
}

// send sends the steps in a message of their own.
func (s *session) send(steps []fetch.Step) (*exchange, error) {
	if err := s.env.Announce(steps...); err != nil {
		return nil, err
	}
	if steps[0].Verb != "VERSION" {
		steps = append(opening(), steps...)
	}
	x := &exchange{net: s.net, ctx: s.ctx, idle: s.env.Timeouts().Idle, cid: s.id, left: s.env.Limits().Reply}
	x.odd = func(where, text string) { s.env.Deviates("ARDP version 0, header", where, "%s", text) }
	s.id = max(s.id+1, 1) // consecutive, so that a recorded dialogue needs only the first; 0 is not valid
	if x.left < 0 {       // no limit
		x.left = math.MaxInt
	}
	return x, x.begin(message(steps), window)
}

// moved returns a referral to the same object at another address.
func (s *session) moved(to redirected) (*fetch.Document, error) {
	ip, _ := netip.AddrFromSlice(to[:4])
	at := net.JoinHostPort(ip.String(), strconv.Itoa(int(to[4])<<8|int(to[5]))) + string(s.plan.URI.Path())
	if q, ok := s.plan.URI.Query(); ok {
		at += "?" + string(q)
	}
	u, err := uri.Parse("prospero://" + at)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrProtocol, "the server redirects to an invalid address")
	}
	return referring(fetch.Referral{URI: u, Reason: "redirected"}), nil
}

func referring(list ...fetch.Referral) *fetch.Document {
	d := fetch.NewDocument(nil)
	d.Size, d.Referrals = 0, list
	return d
}

// errNoContents is the error for an object without contents, usually a directory.
var errNoContents = &fetch.Error{Kind: fetch.ErrNotFound, Text: "the server replied NONE-FOUND: the object has no contents", Hint: "if it is a directory, the URI without ;ACCESS-METHOD lists it"}

// contents requests the object itself.
func (s *session) contents(steps []fetch.Step) (*fetch.Document, error) {
	if !s.plan.Options.Range.IsZero() {
		return nil, errRange
	}
	c, err := s.send(steps)
	if err != nil {
		return nil, err
	}
	scan := wire.NewScanner(c, s.env.Limits().Reply)
	for {
		line, err := scan.LineUntil(isContents)
		if refused := failure(line); refused != nil {
			return nil, refused
		}
		if len(line) > 0 && line[0] == "NONE-FOUND" {
			return nil, errNoContents
		}
		if err == io.EOF {
			return nil, fetch.Errorf(fetch.ErrProtocol, "the reply does not contain the object")
		}
		if err != nil {
			return nil, err
		}
		if isContents(line) {
			break
		}
	}
	c.startBody()
	d := fetch.NewDocument(fetch.NewBody(scan.Value(), c.cancelUnfinished))
	d.End, d.Type = fetch.EndTerminated, mediatype.Unknown
	s.setType(d)
	return d, nil
}

// setType sets the media type of the object's suffix, if that is known.
func (s *session) setType(d *fetch.Document) {
	if t, suffix := mediatype.OfName(s.own.hsoname); t != "" {
		d.Type, d.TypeReason = t, "suffix "+suffix
	}
}

// isContents reports whether a line is ATTRIBUTE precedence nature CONTENTS SEQUENCE DATA, which the value follows.
func isContents(line []string) bool {
	return len(line) == 6 && line[0] == "ATTRIBUTE" && line[3] == "CONTENTS" && line[5] == "DATA"
}

// cancelUnfinished closes the Body of an object from the server itself.
func (c *exchange) cancelUnfinished() error {
	if c.err == nil {
		c.cancel()
	}
	return nil
}

// chosen returns the attributes of the URI as lines of NAME: VALUE. A line end in a value is followed by a blank.
func (s *session) chosen(about info, err error) (*fetch.Document, error) {
	switch {
	case err != nil:
		return nil, err
	case !s.plan.Options.Range.IsZero():
		return nil, errRange
	case len(about.attributes) == 0:
		return nil, fetch.Errorf(fetch.ErrNotFound, "the object has no attribute %s", s.attributes())
	}
	var b strings.Builder
	for _, a := range about.attributes {
		b.WriteString(a.name + ": " + strings.ReplaceAll(a.text(), "\n", "\n ") + "\n")
	}
	d := fetch.NewDocument(io.NopCloser(strings.NewReader(b.String())))
	d.Type, d.TypeReason, d.Size, d.End = "text/plain", "attributes of an object", int64(b.Len()), fetch.EndDeclared
	return d, nil
}

var errRange = fetch.Errorf(fetch.ErrRange, "byte ranges are not supported for prospero")

// metadata returns a Document of the object's attributes.
func (s *session) metadata(about info) *fetch.Document {
	d := fetch.NewDocument(nil)
	d.Size = sizeOf(about.attributes)
	d.SetModified(modified(about.attributes), time.Second)
	d.Header = textproto.MIMEHeader{}
	for _, a := range about.attributes {
		d.Header.Add(a.name, a.text())
	}
	for _, w := range about.warnings {
		d.Header.Add("Warning", w)
	}
	s.setType(d)
	return d
}

// sizeOf returns the value of SIZE, "148 bytes", or -1.
func sizeOf(list []attribute) int64 {
	number, _, _ := strings.Cut(valueOf(list, "SIZE"), " ")
	if n, err := strconv.ParseInt(number, 10, 63); err == nil && n >= 0 {
		return n
	}
	return -1
}

// modified returns the value of LAST-MODIFIED, 20261120115141Z.
func modified(list []attribute) time.Time {
	t, _ := time.Parse("20060102150405Z", valueOf(list, "LAST-MODIFIED"))
	return t
}
