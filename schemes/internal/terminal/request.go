package terminal

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/uri"
)

// A Request is a parsed URI of telnet, rlogin or tn3270: scheme://<user>:<password>@<host>:<port>/ (RFC 1630 "telnet, rlogin and tn3270",
// RFC 4248 section 2). User and password are advice. They do not cause an automatic login (RFC 1738 section 3.8).
type Request struct {
	Scheme   string        `json:"scheme"`
	Host     string        `json:"host"`
	Port     int           `json:"port"`
	User     *fetch.Octets `json:"user"`
	Password *fetch.Octets `json:"password"`

	Addr string        `json:"-"` // host:port, set by NewRequest
	Idle time.Duration `json:"-"` // the silence that ends the first screen, 0 if it depends on the screen; set by NewRequest
}

// Parse parses u. The scheme's default port is port.
func Parse(u uri.URI, port int) (*Request, error) {
	_, named := u.Userinfo()
	user, password, has := u.User()
	_, query := u.Query()
	r := &Request{
		Scheme: u.Scheme(), Host: u.Hostname(), Port: u.PortNumber(port),
		User: urifield.Opt(fetch.Octets(user), named), Password: urifield.Opt(fetch.Octets(password), has),
	}
	switch path := u.Path(); {
	case r.Host == "":
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "host missing in a session's URI")
	case path != "" && path != "/" || query:
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "a session's URI cannot have a path or query")
	case hasOption(user):
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "no word of a user name can begin with a hyphen")
	}
	return r, nil
}

// hasOption reports whether a word of a decoded user name would be an option to the host's login program (rlogin -froot, CVE-1999-0113).
// Some hosts skip blanks before the name, some split it at blanks.
func hasOption(user string) bool {
	return slices.ContainsFunc(strings.Fields(user), func(word string) bool { return word[0] == '-' })
}

// Read returns the function for fetch.Scheme.Read.
func Read(port int) func(uri.URI, uri.Mode) (any, error) {
	return func(u uri.URI, m uri.Mode) (any, error) {
		r, err := Parse(u, port)
		if err != nil {
			return nil, err
		}
		urifield.MapOpt(m.Text, &r.User, &r.Password)
		return *r, nil
	}
}

// NewRequest parses u and the options for a Plan. The setting idle holds a number of seconds for Request.Idle.
func NewRequest(u uri.URI, o *fetch.Options, port int, idle string) (*Request, error) {
	r, err := Parse(u, port)
	if err != nil {
		return nil, err
	}
	if !o.Range.IsZero() {
		return nil, fetch.Errorf(fetch.ErrRange, "byte ranges are not supported for sessions")
	}
	if r.Idle, err = parseIdle(o.Get(idle)); err != nil {
		return nil, fetch.BadSetting(idle, "%s: %v", idle, err)
	}
	r.Addr, err = u.HostPort(port)
	return r, err
}

// Plan returns the beginning of the Plan for op, without TLS: run reads the first screen until the given condition, and attach hands the
// session over to a terminal.
func (r *Request) Plan(op fetch.Op, until string, run fetch.RunFunc, attach fetch.AttachFunc) (*fetch.Plan, error) {
	p := &fetch.Plan{Network: "tcp", Addr: r.Addr, TLS: fetch.NoTLS, Shape: fetch.ShapeSession}
	switch op {
	case fetch.Retrieve:
		p.Run = run
		p.Steps = []fetch.Step{{Verb: "read", Repeat: until}}
	case fetch.Attach:
		p.Attach = attach
		p.Steps = []fetch.Step{{Verb: "attach", Args: []string{"the", "terminal"}}}
	default:
		return nil, fetch.NoOperation(r.Scheme, op)
	}
	return p, nil
}

const maxIdle = 3600

// parseIdle parses a number of seconds, 0 for "".
func parseIdle(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n > 0) || n > maxIdle {
		return 0, fmt.Errorf("%q is not a number of seconds up to %d", s, maxIdle)
	}
	return time.Duration(n * float64(time.Second)), nil
}

// Interactive returns the error that ends a first screen after which the host waits.
func Interactive(p *fetch.Plan) error {
	return &fetch.Error{Kind: fetch.ErrInteractive, Text: "the host waits for input: this is a session",
		Hint: hint.Attach + " " + p.URI.String()}
}

// WaitAtMost sets c's read deadline to wait from now, or removes it if wait is 0. The function that it returns reports whether the error of
// the next read means that this time has passed, not one of the Client's timeouts.
func WaitAtMost(ctx context.Context, c *fetch.Conn, wait time.Duration) (silent func(error) bool) {
	var end time.Time
	if wait > 0 {
		end = time.Now().Add(wait)
	}
	c.SetReadDeadline(end)
	return func(err error) bool {
		return fetch.KindOf(err) == fetch.ErrTimeout && wait > 0 && !time.Now().Before(end) && ctx.Err() == nil
	}
}
