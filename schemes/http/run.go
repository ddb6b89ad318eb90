package http

import (
	"context"
	"io"
	"slices"

	"example.org/deref/fetch"
)

// run sends the request, repeats it with credentials if the server challenges it, and returns the response as a document.
func (r *request) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	x := &exchange{request: r, ctx: ctx, plan: p, env: env}
	if r.Jar != nil {
		env.HideField("Set-Cookie") // from here on, cookies that the jar accepts are credentials
	}
	if r.cacheable {
		if x.lookUp() {
			return x.document()
		}
		if err := x.onlyCached(); err != nil {
			return nil, err
		}
	}
	sent := x.preemptiveAuth()
	if err := x.applyCache(x.roundTrip(sent), sent); err != nil {
		return nil, err
	}
	for tries := 0; x.head.status == 401 && (tries == 0 || tries == 1 && x.isStale(sent)); tries++ {
		lines := x.authenticated(sent)
		if len(lines) == 0 {
			break
		}
		if err := x.drain(); err != nil {
			return nil, err
		}
		if err := x.roundTrip(lines); err != nil {
			return nil, err
		}
		sent = lines
	}
	x.rememberAuth(sent)
	return x.document()
}

// An exchange is one run of a request.
type exchange struct {
	*request
	ctx    context.Context
	plan   *fetch.Plan
	env    *fetch.Env
	s      *session
	done   func(reuse bool)
	head   head
	size   int64         // bytes of the body, or untilClose, chunked or framed
	stream io.ReadCloser // the body, if framed
	plain  plainBody     // the body, if it is one
	values [8]string     // of the fields, if they are no more than most responses have
	cached *cacheUse     // nil if the cache is not used

	atProxy *fetch.Identity // at the proxy, if its URI has no password
	digest  *digestSession  // of the last request's credentials, if they were Digest

	joined  bool   // other requests may use s at the same time
	publish func() // lets them; nil if this request does not decide that
	wait    *wait  // nil if s is not shared
}

// roundTrip leases a connection, sends the lines, or those of the Plan if there are none, and reads the head of the response. If the server
// has closed an idle connection, the request gets no response; as it is a safe one, roundTrip repeats it on another connection (RFC 9112
// section 9.3.1).
func (x *exchange) roundTrip(lines []fetch.Step) error {
	for tries := 0; ; tries++ {
		s, done, err := x.lease()
		if err != nil {
			return err
		}
		used := s.used
		if !used { // a shared connection is used when others join
			s.used = true
		}
		x.s, x.done = s, done
		all, err := x.withProxyLogin(x.withValidators(x.withCookies(x.inVersion(lines))))
		if err == nil {
			x.hide(all)
			err = x.send(all)
		}
		if err == nil {
			x.share()
			x.storeCookies()
			if x.head.status != 407 { // of the proxy
				fetch.ReportQuota(x.ctx, x.plan.URI, quotaOf(x.head.header))
			}
			again, err := x.askForProxy()
			if again && err == nil {
				continue
			}
			return err
		}
		lost := fetch.KindOf(err) == fetch.ErrConnection
		done(x.joined && !lost && s.h2.Err() == nil)
		if !used || !lost || x.ctx.Err() != nil || tries == maxRepeats && s.isShared() {
			return err
		}
	}
}

// inVersion returns the lines with the version that was negotiated for the connection.
func (x *exchange) inVersion(lines []fetch.Step) []fetch.Step {
	if len(lines) == 0 {
		first, rest := x.plan.When(x.s.version()), x.plan.When("")
		if len(first) == 0 {
			return rest
		}
		return append(first[:1:1], rest...)
	}
	if len(lines[0].Args) == 2 && lines[0].Args[1] == anyVersion {
		lines = slices.Clone(lines)
		lines[0].Args = []string{lines[0].Args[0], x.plan.When(x.s.version())[0].Args[1]}
	}
	return lines
}

// send sends the request and reads the head of the final response.
func (x *exchange) send(lines []fetch.Step) error {
	if x.s.h2 != nil {
		return x.sendH2(lines)
	}
	c := x.s.conn
	c.Record(fetch.RecordHead)
	if err := c.SendAs(appendRequest, lines...); err != nil {
		return err
	}
	c.BeginReply()
	if err := x.readHead(); err != nil {
		return err
	}
	c.BeginBody()
	return nil
}

// appendRequest is the fetch.Form of a request. The Simple-Request of HTTP/0.9 is one line; any other has a header, which an empty line
// ends.
func appendRequest(b []byte, lines []fetch.Step) []byte {
	for _, s := range lines {
		b = append(b, s.Verb...)
		for _, a := range s.Args {
			b = append(append(b, ' '), a...)
		}
		b = append(b, '\r', '\n')
	}
	if len(lines) == 1 && len(lines[0].Args) == 1 {
		return b
	}
	return append(b, '\r', '\n')
}
