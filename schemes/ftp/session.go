package ftp

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/jlaffaye/ftp"

	"example.org/deref/fetch"
)

// session is a control connection and its known state. It is reused by later requests.
type session struct {
	ctl      *control
	tls      bool // PROT P is in force
	loggedIn bool
	quit     fetch.Step
	cwd      []string // CWDs since the login
	home     string   // login directory by PWD, "" if unknown
	sure     bool     // CWD home has returned to home before
	typ      string   // argument of the last TYPE
	utf8     bool     // OPTS UTF8 ON was sent
}

// open connects, reads the greeting and begins TLS. USER can be sent next.
func (r *retrieval) open(ctx context.Context) (*session, error) {
	c, err := r.env.Dial(ctx, "tcp", r.plan.Addr, &fetch.DialOptions{TLS: r.req.ssl == "implicit", Record: fetch.RecordLines})
	if err != nil {
		return nil, err
	}
	s := &session{ctl: &control{Conn: c, ctx: ctx, env: r.env, anonymous: r.req.anonymous}, tls: r.req.ssl == "implicit"}
	for i := range r.plan.Steps {
		if r.plan.Steps[i].Verb == "QUIT" {
			s.quit = r.plan.Steps[i]
		}
	}
	if err := s.greeting(); err != nil {
		return nil, err
	}
	return s, s.startTLS(ctx, r)
}

// greeting waits for 2yz. 1yz, which is 120, announces that it will take a while (RFC 959 §5.4). After 230 USER is sent, too: a server
// that sends 230 has logged in a user that the client did not name.
func (s *session) greeting() error {
	for waits := 0; ; waits++ {
		r, err := readReply(s.ctl.Conn)
		if err == nil {
			s.ctl.strict(greeted, r)
		}
		switch {
		case err != nil:
			return err
		case r.class() == 1 && waits < maxPreliminary:
		case r.class() == 2:
			return nil
		case r.class() < 4:
			return fetch.Errorf(fetch.ErrProtocol, "not a greeting: %d %s", r.code, clip(r.first()))
		case r.class() == 5 && r.code != ftp.StatusNotLoggedIn:
			r.code = ftp.StatusNotAvailable // whatever the code, the server does not accept clients now
			fallthrough
		default:
			return fail(&refusal{fetch.Step{Verb: greeted}, r})
		}
	}
}

// startTLS sends AUTH TLS (RFC 4217 §4) if the Plan begins with it.
func (s *session) startTLS(ctx context.Context, r *retrieval) error {
	first := r.plan.Steps[0]
	if first.Verb != "AUTH" {
		return nil
	}
	s.ctl.queue = []fetch.Step{first}
	a, err := s.ctl.exchange()
	if err != nil {
		return err
	}
	switch {
	case a.class() == 2: // 234; 334 asks for data of a mechanism, and TLS has none (RFC 4217 §4)
		if err := r.env.StartTLS(ctx, s.ctl.Conn); err != nil {
			return err
		}
		s.tls = true
		return nil
	case r.req.ssl == "try":
		return nil
	case a.class() < 4:
		return fetch.Errorf(fetch.ErrTLS, "AUTH TLS: %d %s", a.code, clip(a.first()))
	}
	return fail(&refusal{first, a})
}

// loggingIn handles the reply to USER and PASS, which a login may need less or more than (RFC 959 §5.4). After a password, only the
// account can still be missing.
func (r *retrieval) loggingIn(a reply) (reply, error) {
	c := r.s.ctl
	if a.class() == 2 { // QUIRK: pure-ftpd lets anonymous users in at USER, and answers a PASS that is under way with 230 again
		return a, c.skip("PASS")
	}
	if a.class() != 3 || a.code != ftp.StatusLoginNeedAccount && c.step.Verb == "USER" {
		return a, nil
	}
	account := r.plan.When(ifAccount)
	if len(account) == 0 {
		return a, c.end(fail(&refusal{c.step, a}))
	}
	if err := c.skip("PASS"); err != nil {
		return a, err
	}
	c.queue = append(account[:1:1], c.queue...)
	return c.exchange()
}

// isLogin reports whether the command belongs to the login.
func isLogin(verb string) bool {
	return verb == "USER" || verb == "PASS" || verb == "PBSZ" || verb == "PROT"
}

// Close sends QUIT if the conversation allows it. It does not wait for the reply.
func (s *session) Close() error {
	if s.loggedIn && s.ctl.idle() {
		s.ctl.end(s.ctl.SendAs(telnetLines, s.quit))
	}
	return s.ctl.Conn.Close()
}

// entered records a CWD. One to the login directory is recognized by its name, which no segment of a URI can be.
func (s *session) entered(dir string) {
	if s.home != "" && dir == s.home && len(s.cwd) > 0 {
		s.cwd = nil
		return
	}
	s.cwd = append(s.cwd, dir)
}

// isAt records the login directory, or checks that CWD has returned to it.
func (s *session) isAt(dir string) error {
	switch {
	case s.home == "":
		s.home = dir
	case dir != s.home:
		return s.ctl.end(staleSession{errElsewhere})
	default:
		s.sure = true
	}
	return nil
}

// route returns the CWDs from the session's current directory to that of want, which are all CWDs from the login directory on. FTP has
// no common model of directories: only the CWDs since the login are known to work, and the one back to the login directory once PWD has
// confirmed it.
func (s *session) route(want []fetch.Step, elsewhere []fetch.Step) ([]fetch.Step, bool) {
	n := len(s.cwd)
	if n <= len(want) && slices.EqualFunc(s.cwd, want[:n], func(a string, b fetch.Step) bool { return a == b.Args[0] }) {
		return want[n:], true
	}
	if s.home == "" || len(elsewhere) == 0 {
		return nil, false
	}
	back := []fetch.Step{elsewhere[0]}
	back[0].Args = []string{s.home}
	if !s.sure && len(elsewhere) > 1 {
		back = append(back, elsewhere[1])
	}
	return append(back, want...), true
}

// parsePWD returns the directory between quotes, in which quotes are doubled (RFC 959 appendix II). It returns "" for a name that does
// not begin with a slash, since only those show a hierarchy.
func parsePWD(text string) string {
	found := regexp.MustCompile(`"((?:[^"]|"")*)`).FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	dir := strings.ReplaceAll(found[1], `""`, `"`)
	if !strings.HasPrefix(dir, "/") || strings.ContainsAny(dir, "\r\n\x00") {
		return ""
	}
	return dir
}
