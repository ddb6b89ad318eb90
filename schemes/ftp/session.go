package ftp

import (
	"context"
	"crypto/tls"
	"net"
	"slices"
	"strings"

	"github.com/jlaffaye/ftp"

	"example.org/deref/fetch"
)

// session is a logged-in control connection: what is kept between requests.
type session struct {
	ctl  *control
	lib  *ftp.ServerConn
	tls  bool // PROT P is in force
	in   bool // logged in
	left bool // QUIT was said
	cwd  []string
	home string // login folder, by PWD; "" unknown
	sure bool   // CWD home has led home before
	typ  string
}

// open connects, reads the greeting and begins TLS, so that the library is given a connection that is ready for USER.
func (r *run) open(ctx context.Context) (*session, error) {
	c, err := r.env.Dial(ctx, "tcp", r.plan.Addr, &fetch.DialOptions{TLS: r.w.ssl == "implicit", Record: fetch.RecordLines})
	if err != nil {
		return nil, err
	}
	s := &session{ctl: &control{Conn: c, run: r}, tls: r.w.ssl == "implicit"}
	if err := s.greeting(); err != nil {
		return nil, err
	}
	if err := s.protect(ctx, r); err != nil {
		return nil, err
	}
	s.ctl.serve(220)
	options := []ftp.DialOption{ftp.DialWithDialFunc(s.dial), ftp.DialWithDisabledUTF8(true)}
	if s.tls {
		options = append(options, ftp.DialWithTLS(&tls.Config{})) // the library says PBSZ and PROT; the TLS is ours
	}
	s.lib, err = ftp.Dial(r.plan.Addr, options...)
	return s, err
}

// dial gives the library the control connection, and later the data connections.
func (s *session) dial(_, addr string) (net.Conn, error) {
	if s.lib == nil {
		return s.ctl, nil
	}
	return s.ctl.run.dialData(addr)
}

// greeting waits for 2yz; 1yz, which is 120, announces that it will take a while (RFC 959 §5.4). 230 lets in a user that nobody has
// named, so USER is sent after it, too.
func (s *session) greeting() error {
	for waits := 0; ; waits++ {
		r, err := readReply(s.ctl.Conn)
		switch {
		case err != nil:
			return err
		case r.class() == 1 && waits < mostPreliminary:
		case r.class() == 2:
			return nil
		case r.class() < 4:
			return fetch.Errorf(fetch.ErrProtocol, "%d %s is no greeting", r.code, clip(r.first()))
		case r.class() == 5 && r.code != 530:
			r.code = 421 // whatever the code, the server does not want us now
			fallthrough
		default:
			return fail(&refusal{fetch.Step{Verb: "connecting"}, r})
		}
	}
}

// protect says AUTH TLS (RFC 4217 §4), if the Plan has it, before anything else.
func (s *session) protect(ctx context.Context, r *run) error {
	all := r.plan.When("")
	if len(all) == 0 || all[0].Verb != "AUTH" {
		return nil
	}
	s.ctl.planned = all[:1]
	answer, err := s.ctl.exchange("")
	if err != nil {
		return err
	}
	switch {
	case answer.class() == 2: // 234; 334 demands data of a mechanism that TLS is not (RFC 4217 §4)
		if err := r.env.StartTLS(ctx, s.ctl.Conn); err != nil {
			return err
		}
		s.tls = true
		return nil
	case r.w.ssl == "try" && answer.code != 421:
		return nil
	case answer.class() < 4:
		return fetch.Errorf(fetch.ErrTLS, "AUTH TLS: %d %s", answer.code, clip(answer.first()))
	}
	return fail(&refusal{all[0], answer})
}

// Close says goodbye if the conversation allows it, and never waits.
func (s *session) Close() error {
	if s.lib != nil && s.in && !s.left && s.ctl.atRest() {
		return s.lib.Quit()
	}
	return s.ctl.Conn.Close()
}

// way returns the CWDs that lead from where the session stands to the folder of the steps, which are all CWDs from the login
// folder on. There is no common model of folders in FTP: only what was said since the login is known to lead anywhere, and the
// login folder itself, where its name is known and has proved to lead back.
func (s *session) way(want []fetch.Step, elsewhere []fetch.Step) ([]fetch.Step, bool) {
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

// parsePWD reads the folder's name between quotes, which are doubled in it (RFC 959 appendix II). Only a name that begins with a
// slash shows a hierarchy.
func parsePWD(text string) string {
	_, in, ok := strings.Cut(text, `"`)
	if !ok {
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(in); i++ {
		if in[i] == '"' {
			if i+1 == len(in) || in[i+1] != '"' {
				break
			}
			i++
		}
		b.WriteByte(in[i])
	}
	dir := b.String()
	if !strings.HasPrefix(dir, "/") || strings.ContainsAny(dir, "\r\n\x00") {
		return ""
	}
	return dir
}
