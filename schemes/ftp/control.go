package ftp

import (
	"bytes"
	"errors"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
)

// control is the control connection as the library sees it. The library says its commands to it and reads one made-up line for
// each; what goes over the network are the steps of the Plan, one after the other or in one flight, and the server's replies are
// read, bounded and matched to them here, so that no foreign text reaches the library's parsers.
type control struct {
	*fetch.Conn
	run     *run // whom it works for
	line    []byte
	out     []byte       // what the library has yet to read
	login   bool         // Login is under way
	planned []fetch.Step // to be said next
	sent    []fetch.Step // said in a flight, not yet answered
	flown   bool         // the commands in question were said in one flight
	quit    fetch.Step   // what the library's Quit says
	heard   int          // replies since the request began
	asked   fetch.Step   // what last answers
	last    reply
	port    int        // of the data connection, from the latest set-up
	at      netip.Addr // its address if it is not the control connection's
	broken  error      // the conversation is over
}

// dislike says that the server cannot cope with a flight; the request is made again, one command at a time.
type dislike struct{ error }

// Unwrap returns what the server did.
func (d dislike) Unwrap() error { return d.error }

// How long the reply to the next command of a flight may take: whoever drops pipelined input never sends it. A slow server that is
// met with it loses nothing but the flight.
const (
	patience         = 3 * time.Second
	passwordPatience = 30 * time.Second // QUIRK: pure-ftpd thinks about a password for 3 to 11 s, and a second try could lock the user out
)

func (c *control) patience(verb string) time.Duration {
	if verb == "PASS" && !c.run.w.guest {
		return passwordPatience
	}
	return patience
}

// Read hands out the line that the library waits for. Where it has asked nothing, it waits for the end of a transfer.
func (c *control) Read(p []byte) (int, error) {
	if len(c.out) == 0 {
		r, err := c.completion()
		if err != nil {
			return 0, err
		}
		if r.class() == 2 { // the library takes 226 alone; 250 is as good (RFC 959 §5.4)
			r.code = 226
		}
		c.serve(r.code)
	}
	n := copy(p, c.out)
	c.out = c.out[n:]
	return n, nil
}

// completion returns the reply that ends a transfer, which may be the reply to the command itself. It skips further preliminary
// ones, such as 110 (RFC 959 §5.4).
func (c *control) completion() (r reply, err error) {
	if transfers(c.asked.Verb) && c.last.class() == 2 {
		return c.last, nil
	}
	for range mostPreliminary {
		if r, err = c.receive(fetch.Step{Verb: atEnd}); err != nil || r.class() != 1 {
			return r, err
		}
	}
	return r, c.end(fetch.Errorf(fetch.ErrProtocol, "more than %d preliminary replies to one command", mostPreliminary))
}

// mostPreliminary bounds how many 1yz replies one command may have.
const mostPreliminary = 10

// Write takes what the library says, line by line.
func (c *control) Write(p []byte) (int, error) {
	c.line = append(c.line, p...)
	for {
		i := bytes.IndexByte(c.line, '\n')
		if i < 0 {
			return len(p), nil
		}
		line := string(bytes.TrimSuffix(c.line[:i], []byte("\r")))
		c.line = append(c.line[:0], c.line[i+1:]...)
		if err := c.command(line); err != nil {
			return 0, err
		}
	}
}

// serve makes up the line that the library reads next.
func (c *control) serve(code int) {
	c.out = append(strconv.AppendInt(c.out[:0], int64(code), 10), " -\r\n"...) // codes have three digits
}

// command does what the library asks for, as the Plan has it.
func (c *control) command(line string) error {
	verb, _, _ := strings.Cut(line, " ")
	switch {
	case verb == "FEAT": // always asked by the library; what it would tell is found out by trying
		c.serve(502)
		return nil
	case verb == "PASV": // set-up has tried it when the library hears that EPSV failed
		c.serve(425)
		return nil
	case verb == "TYPE" && c.login: // the library's own; the Plan's follows when it is its turn
		c.serve(200)
		return nil
	case verb == "QUIT":
		return c.end(c.Conn.SendAs(telnetLines, c.quit))
	case verb == "EPSV":
		return c.setup()
	case verb == "RETR": // RETR, MLSD or LIST: the library lists into memory only
		line = ""
	}
	r, err := c.exchange(line)
	if err == nil && (verb == "USER" || verb == "PASS") {
		r, err = c.welcome(r)
	}
	if err != nil {
		return err
	}
	c.serve(expected(verb, r.code))
	return nil
}

// expected is the code that the library wants for a reply that is as good.
func expected(verb string, code int) int {
	switch class := code / 100; {
	case class > 3:
		return code
	case verb == "USER" && class == 3:
		return 331
	case verb == "USER":
		return 230
	case verb == "PASS":
		return 230
	case verb == "CWD":
		return 250
	case verb == "REST":
		return 350
	case verb == "RETR":
		return 150
	}
	return 200
}

// head is the next step, said in a flight or yet to be said.
func (c *control) head() (s fetch.Step, flown, ok bool) {
	switch {
	case len(c.sent) > 0:
		return c.sent[0], true, true
	case len(c.planned) > 0:
		return c.planned[0], false, true
	}
	return s, false, false
}

// exchange says the next step, unless it was said already, and returns the reply. line is what the library would say; void means
// whatever the Plan has.
func (c *control) exchange(line string) (reply, error) {
	s, flown, ok := c.head()
	if !ok || line != "" && s.Line() != line {
		return reply{}, c.end(fetch.Errorf(fetch.ErrProtocol, "the library's next command is not the plan's %s", s.Verb))
	}
	if flown {
		c.sent = c.sent[1:]
		return c.receive(s)
	}
	c.planned = c.planned[1:]
	c.flown = false
	if err := c.end(c.Conn.SendAs(telnetLines, s)); err != nil {
		return reply{}, err
	}
	return c.receive(s)
}

// fly says all planned steps at once: their replies come in order (RFC 959 §5.4 pairs each command with its replies).
func (c *control) fly() error {
	planned := c.planned
	c.sent, c.planned, c.flown = planned, nil, true
	return c.end(c.Conn.SendAs(telnetLines, planned...))
}

// telnetLines are fetch.Lines with 0xFF doubled, which is IAC on a Telnet connection (RFC 959 §4.1.3, RFC 854).
func telnetLines(b []byte, steps []fetch.Step) []byte {
	from := len(b)
	b = fetch.Lines(b, steps)
	if bytes.IndexByte(b[from:], 0xff) >= 0 {
		b = append(b[:from:from], bytes.ReplaceAll(b[from:], []byte{0xff}, []byte{0xff, 0xff})...)
	}
	return b
}

// end notes that the conversation is over.
func (c *control) end(err error) error {
	if err != nil && c.broken == nil {
		c.broken = err
	}
	return err
}

// receive reads the reply to a step.
func (c *control) receive(s fetch.Step) (reply, error) {
	hurry := c.flown && c.heard > 0 && c.Conn.Buffered() == 0 && !transfers(s.Verb) && s.Verb != atEnd
	if hurry {
		c.Conn.SetReadDeadline(time.Now().Add(c.patience(s.Verb)))
	}
	r, err := readReply(c.Conn)
	if hurry {
		c.Conn.SetReadDeadline(time.Time{})
	}
	if err != nil {
		return r, c.end(c.judge(s, err))
	}
	c.asked, c.last = s, r
	switch {
	case r.code == 421 && s.Verb != atEnd: // the server is leaving, whatever was asked
		return r, c.end(fail(&refusal{s, r}))
	case !fits(s.Verb, r.code):
		return r, c.end(c.judge(s, fetch.Errorf(fetch.ErrProtocol, "%d %s is no reply to %s", r.code, clip(r.first()), s.Verb)))
	case c.flown && s.Verb != atEnd && (r.code == 503 || r.code == 500 && plain(s)):
		return r, c.end(c.judge(s, fail(&refusal{s, r})))
	}
	c.heard++
	return r, nil
}

// judge blames the flight for what went wrong in it, if something was heard at all and no data is under way.
func (c *control) judge(s fetch.Step, err error) error {
	k := fetch.KindOf(err)
	switch {
	case s.Verb == atEnd && k == fetch.ErrConnection:
		return fetch.Errorf(fetch.ErrTruncated, "%w", err)
	case !c.flown || s.Verb == atEnd || c.run.ctx.Err() != nil:
		return err
	case k == fetch.ErrTimeout && (transfers(s.Verb) || c.heard == 0):
		return err
	case k == fetch.ErrLimit:
		return err
	}
	return dislike{err}
}

func transfers(verb string) bool { return verb == "RETR" || verb == "MLSD" || verb == "LIST" }

// plain reports whether every server knows the command, so that 500 says something else. Many do not know CWD with a void argument.
func plain(s fetch.Step) bool {
	switch s.Verb {
	case "USER", "PASS", "TYPE", "RETR":
		return true
	case "CWD":
		return s.Args[0] != ""
	}
	return false
}

// drain reads the replies to what was said behind a refused set-up, and returns those steps to be said again. Each of them must
// have been refused: a success would be the beginning of a transfer that nobody is ready for.
//
// QUIRK: proftpd 1.3.8 answers a RETR behind a refused EPSV only after a minute, if at all.
func (c *control) drain(most time.Duration) ([]fetch.Step, error) {
	if len(c.sent) > 0 {
		c.Conn.SetReadDeadline(time.Now().Add(most))
		defer c.Conn.SetReadDeadline(time.Time{})
	}
	var again []fetch.Step
	for len(c.sent) > 0 {
		s := c.sent[0]
		c.sent = c.sent[1:]
		r, err := readReply(c.Conn)
		if err != nil {
			return nil, c.end(c.judge(fetch.Step{}, err))
		}
		if r.class() < 3 {
			return nil, c.end(dislike{errors.New("a transfer began without a data connection")})
		}
		again = append(again, s)
	}
	return again, nil
}

// atRest reports whether every command has its reply.
func (c *control) atRest() bool { return c.broken == nil && len(c.sent) == 0 && len(c.out) == 0 }
