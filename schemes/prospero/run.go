package prospero

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/mediatype"
	"example.org/deref/schemes/prospero/internal/wire"
	"example.org/deref/uri"
)

// A request is one URI while it is being resolved.
type request struct {
	handler
	ctx  context.Context
	plan *fetch.Plan
	env  *fetch.Env
	net  *fetch.Packets
	teller
	own place  // the object
	id  uint16 // of the next conversation
}

// Run asks for the methods of access, and for the object itself or its links where there are none that lead elsewhere.
func (h handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	r := &request{handler: h, ctx: ctx, plan: p, env: env}
	var err error
	if r.net, err = env.Packets(ctx, p.Addr); err != nil {
		return nil, err
	}
	r.locate()
	if r.id, err = h.firstID(p.Options, env); err != nil {
		return nil, err
	}
	d, err := r.resolve()
	if moved, ok := errors.AsType[*movedError](err); ok {
		return referring(moved.to), nil
	}
	return d, err
}

// locate settles who is asked for what.
func (r *request) locate() {
	host, p, _ := net.SplitHostPort(r.plan.Addr)
	r.teller.host = host
	if !drafts(r.plan.Options.Mode) {
		r.teller.self, _ = parsed(r.plan.URI.String() + ";" + fieldMethod + "=" + contents)
	}
	r.teller.port, _ = strconv.Atoi(p)
	for _, s := range r.plan.Steps {
		if s.Verb == "GET-OBJECT-INFO" {
			r.own = place{"INTERNET-D", host, "ASCII", s.Data, strings.Trim(s.Tail[0], "0")}
			return
		}
	}
}

func (r *request) resolve() (*fetch.Document, error) {
	if r.plan.Shape == fetch.ShapeDocument {
		return r.contents(r.plan.When(""))
	}
	c, err := r.ask(r.plan.When(""))
	if err != nil {
		return nil, err
	}
	about, err := readInfo(wire.NewScanner(c, r.env.Limits().Reply))
	if err = r.explained(c, err); err != nil && !isNotFound(err) {
		return nil, err
	}
	if list := r.elsewhere(about); len(list) > 0 {
		return referring(list...), nil
	}
	if r.plan.Options.Op == fetch.Metadata {
		return r.metadata(about), err
	}
	if strings.HasPrefix(valueOf(about.attributes, "UNIX-MODES"), "d") {
		return r.list(nil)
	}
	list, direct := r.referrals(about.attributes, r.own)
	switch {
	case direct && len(list) == 0:
		d, err := r.contents(r.plan.When(ifContents))
		if err == errNoContents {
			return r.list(err)
		}
		return d, err
	case len(list) > 0:
		return referring(list...), nil
	}
	if names := methodsOf(about.attributes); err == nil && names != "" {
		err = fetch.Errorf(fetch.ErrUnsupported, "the object is reached by %s alone", names)
	}
	return r.list(err)
}

// elsewhere are the referrals of servers that do not have the object themselves.
func (r *request) elsewhere(about info) (list []fetch.Referral) {
	if about.forwarded != nil {
		if u, ok := r.prospero(*about.forwarded); ok {
			return []fetch.Referral{{URI: u, Reason: "forwarded"}}
		}
	}
	if len(about.rest) == 0 {
		return nil
	}
	for _, l := range about.links {
		if u, ok := r.prospero(l.at, about.rest...); ok {
			list = append(list, fetch.Referral{URI: u, Reason: "unresolved there"})
		}
	}
	return list
}

// ask says the steps in a message of their own.
func (r *request) ask(steps []fetch.Step) (*conversation, error) {
	if err := r.env.Announce(steps...); err != nil {
		return nil, err
	}
	if steps[0].Verb == "VERSION" {
		steps = steps[len(opening()):]
	}
	c := &conversation{net: r.net, ctx: r.ctx, idle: r.env.Timeouts().Idle, delay: r.delay, cid: r.nextID(), left: r.env.Limits().Reply}
	return c, c.begin(message(append(opening(), steps...)), window)
}

// firstID is random, unless the user names one.
func (h handler) firstID(o *fetch.Options, env *fetch.Env) (uint16, error) {
	text := o.Get(settingID)
	if text == "" {
		return h.cid(env), nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return 0, fetch.Errorf(fetch.ErrLocal, "%s is a number from 1 to 65535", settingID)
	}
	return uint16(n), nil
}

// nextID numbers the conversations of one request in a row, so that the first one tells all.
func (r *request) nextID() uint16 {
	id := r.id
	if r.id++; r.id == 0 { // 0 is none
		r.id = 1
	}
	return id
}

// explained turns the end of a conversation that goes on elsewhere into a referral.
func (r *request) explained(c *conversation, err error) error {
	if err != errRedirected {
		return err
	}
	ip, _ := netip.AddrFromSlice(c.redirect[:4])
	to := net.JoinHostPort(ip.String(), strconv.Itoa(int(c.redirect[4])<<8|int(c.redirect[5])))
	at := string(r.plan.URI.Path())
	if q, ok := r.plan.URI.Query(); ok {
		at += "?" + string(q)
	}
	u, err := uri.Parse("prospero://" + to + at)
	if err != nil {
		return fetch.Errorf(fetch.ErrProtocol, "the server wants to be asked at an address that is none")
	}
	return &movedError{fetch.Referral{URI: u, Reason: "redirected"}}
}

// movedError ends a request with a referral.
type movedError struct{ to fetch.Referral }

func (m *movedError) Error() string { return "asked elsewhere" }

func referring(list ...fetch.Referral) *fetch.Document {
	d := fetch.NewDocument(nil)
	d.Size, d.Referrals = 0, list
	return d
}

// errNoContents is the answer to a request for the contents of what has none: a directory, mostly.
var errNoContents = &fetch.Error{Kind: fetch.ErrNotFound, Text: "the server answers NONE-FOUND: the object has no contents", Hint: "if it is a directory, the URI without ;ACCESS-METHOD lists it"}

// contents asks the server for the object itself.
func (r *request) contents(steps []fetch.Step) (*fetch.Document, error) {
	if !r.plan.Options.Range.IsZero() {
		return nil, fetch.Errorf(fetch.ErrRange, "prospero gives whole objects only")
	}
	c, err := r.ask(steps)
	if err != nil {
		return nil, err
	}
	s := wire.NewScanner(c, r.env.Limits().Reply)
	for {
		line, err := s.LineUntil(isContents)
		if refused := failure(line); refused != nil {
			return nil, refused
		}
		if len(line) > 0 && line[0] == "NONE-FOUND" {
			return nil, errNoContents
		}
		if err == io.EOF {
			return nil, fetch.Errorf(fetch.ErrProtocol, "the server does not hand the object over")
		}
		if err = r.explained(c, err); err != nil {
			return nil, err
		}
		if isContents(line) {
			break
		}
	}
	c.streams()
	d := fetch.NewDocument(&body{s.Value(), c})
	d.End, d.Type = fetch.EndTerminated, mediatype.Unknown
	if t, suffix := mediatype.OfName(r.own.hsoname); t != "" {
		d.Type, d.TypeReason = t, "suffix "+suffix
	}
	return d, nil
}

// isContents: ATTRIBUTE precedence nature CONTENTS SEQUENCE DATA, which the value follows.
func isContents(line []string) bool {
	return len(line) == 6 && line[0] == "ATTRIBUTE" && line[3] == "CONTENTS" && line[5] == "DATA"
}

// body is an object that the server hands over.
type body struct {
	io.Reader
	c *conversation
}

// Close tells the server when we leave early.
func (b *body) Close() error {
	if b.c.err == nil {
		b.c.cancel()
	}
	return nil
}

// metadata is what the server says of an object.
func (r *request) metadata(about info) *fetch.Document {
	d := fetch.NewDocument(nil)
	d.Size = sizeOf(about.attributes)
	d.Modified = modified(about.attributes)
	d.Header = textproto.MIMEHeader{}
	for _, a := range about.attributes {
		d.Header.Add(a.name, a.text())
	}
	for _, w := range about.warnings {
		d.Header.Add("Warning", w)
	}
	if t, suffix := mediatype.OfName(r.own.hsoname); t != "" {
		d.Type, d.TypeReason = t, "suffix "+suffix
	}
	return d
}

// sizeOf reads SIZE, "148 bytes"; -1 is unknown.
func sizeOf(list []attribute) int64 {
	number, _, _ := strings.Cut(valueOf(list, "SIZE"), " ")
	if n, err := strconv.ParseInt(number, 10, 63); err == nil && n >= 0 {
		return n
	}
	return -1
}

// modified reads LAST-MODIFIED, 20261120115141Z.
func modified(list []attribute) time.Time {
	t, _ := time.Parse("20060102150405Z", valueOf(list, "LAST-MODIFIED"))
	return t
}
