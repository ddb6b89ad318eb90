package mail

import (
	"bytes"
	"context"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch"
)

// A guard is the net.Conn of the library. It passes lines and requested literals on, and bounds what the library does not: what a response may
// have outside them, which Conn counts as a reply, and the waiting. It lets the library's reader wait for the server only while a command is
// unanswered, so that an idle session reads nothing.
type guard struct {
	*fetch.Conn
	outgoing outgoing
	idle     time.Duration
	ready    []byte // for the library, initially a greeting, because handshake has read the real one
	caps     string // the code "[CAPABILITY ...]" of the greeting, until the library has it

	mu      sync.Mutex
	changed sync.Cond
	pending int // commands without their tagged response
	callers int // goroutines that wait for the library
	ctx     context.Context
	env     *fetch.Env  // of that request
	stall   *time.Timer // runs while callers wait although no command is unanswered
	closed  bool        // by the library or by us
	err     error       // what ended the connection before
	bye     string      // the text of BYE
	swap    [2]string   // the text that replace searches, and its replacement

	literal int64 // bytes of a requested literal that are still to come
	braced  bool  // the last line announced a literal
	reply   tally // since renew
}

// newGuard returns a guard from which the library gets a greeting with the capabilities.
func newGuard(c *fetch.Conn, env *fetch.Env, greeting, caps string) *guard {
	g := &guard{Conn: c, idle: env.Timeouts().Idle, ready: []byte("* " + greeting + " " + caps + " ready\r\n"), caps: caps}
	g.changed.L = &g.mu
	return g
}

// Read waits until a command is unanswered. It returns bytes of one line, which is complete. It omits changes of flags.
//
// QUIRK: the library ends a command once it has read "T1 OK", although the line may never end. Of the responses with a UID it passes on only the first,
// although a change of flags may come before the message (RFC 9051 section 7.5.2).
func (g *guard) Read(p []byte) (int, error) {
	for len(g.ready) == 0 {
		literal, err := g.wait()
		if literal > 0 && err == nil {
			n, err := g.Conn.Read(p[:min(int64(len(p)), literal)])
			g.passed(n)
			return n, g.fail(err)
		}
		if err == nil {
			g.ready, err = g.readLine()
		}
		if err == nil {
			err = g.inspect()
		}
		if err != nil {
			g.ready = nil
			return 0, g.fail(err)
		}
	}
	n := copy(p, g.ready)
	g.ready = g.ready[n:]
	return n, nil
}

// readLine reads a line of any length that a reply may have, with its end.
func (g *guard) readLine() ([]byte, error) {
	for n := 0; ; {
		b, err := g.Peek(n + 1)
		if i := bytes.IndexByte(b[n:], '\n'); i >= 0 {
			line := bytes.Clone(b[:n+i+1])
			g.Discard(len(line))
			return line, nil
		}
		if err != nil {
			return nil, err
		}
		n = len(b)
	}
}

// inspect looks at the line that is ready.
func (g *guard) inspect() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	line, crlf := bytes.CutSuffix(g.ready, []byte("\r\n"))
	if !crlf {
		g.env.Deviates(imapLineRule, imapLine, bareLF)
	}
	within := g.braced
	g.braced = bytes.HasSuffix(bytes.TrimRight(line, "\n "), []byte("}")) // the library skips a blank there
	tag, tagged := tagOf(line)
	_, code, _ := bytes.Cut(line, []byte(" "))
	text := string(line)
	bye, isBye := cutPrefixFold(text, "* BYE")
	_, flags := cutPrefixFold(text, "* FLAGS (")
	_, permanent := cutPrefixFold(text, "* OK [PERMANENTFLAGS (")
	_, enabled := cutPrefixFold(text, "* ENABLED")
	switch {
	case enabled:
		// QUIRK: the library writes its contents into a map that Client.search reads without its lock, and the runtime ends a process that it
		// catches in that (by reading beta.8; the window is short, and was not hit in ten tries).
		return fetch.Errorf(fetch.ErrProtocol, "the server sends an unrequested %s", clip(text))
	case isBye:
		g.bye = strings.TrimSpace(bye)
	case flags || permanent:
		g.renameFlags(line)
	case !within && isFlagChange(line):
		g.ready = nil
		return nil // the bytes are bounded by Conn
	case tagged && g.pending > 0:
		if g.pending--; bytes.HasPrefix(code, []byte("OK")) {
			g.addCapabilities(len(tag) + len(" OK"))
		}
		g.watch()
	}
	return g.reply.add(line)
}

// isFlagChange reports whether a line is a whole FETCH response with flags and nothing that is requested of messages.
func isFlagChange(line []byte) bool {
	number, items, ok := strings.Cut(strings.ToUpper(string(line)), " FETCH (")
	requested := func(item string) bool { return strings.Contains(items, item) }
	return ok && strings.HasPrefix(number, "* ") && strings.Contains(items, "FLAGS (") && strings.HasSuffix(items, ")") &&
		!slices.ContainsFunc([]string{"BODY[", "RFC822.SIZE", "INTERNALDATE"}, requested)
}

// Words of deviations. RFC 9051 section 2.2 is about lines.
const imapLineRule, imapLine, bareLF = "RFC 9051 section 2.2", "a line of a response", "LF without CR"

// renameFlags replaces "]" in the names of flags.
//
// QUIRK: the library rejects keywords with "]", which Gmail has (bpo-21815): not atoms (RFC 9051 section 9).
func (g *guard) renameFlags(line []byte) {
	_, list, _ := bytes.Cut(line, []byte("("))
	for i, c := range list {
		switch c {
		case ')':
			return
		case ']':
			g.env.Deviates("RFC 9051 section 9", "a keyword", `"]" in its name`)
			list[i] = '_'
		}
	}
}

// addCapabilities inserts the known capabilities into the first success, that of the login, if it has none.
//
// QUIRK: go-imap would otherwise send CAPABILITY in a goroutine of its own, before or after the next command: neither planned nor
// announced. Nothing here depends on what a server offers only after the login.
func (g *guard) addCapabilities(at int) {
	if !bytes.HasPrefix(g.ready[at:], []byte(" [CAPABILITY ")) && g.caps != "" {
		g.ready = slices.Insert(g.ready, at, []byte(" "+g.caps)...)
	}
	g.caps = ""
}

// A tally counts what costs the library more than its bytes.
type tally struct {
	open int    // parentheses, since the library recurses
	last uint64 // number
	back int    // numbers that were smaller than the last
}

// The bounds are far more than any server sends for a reason between two values that we take.
//
// QUIRK: the library keeps the numbers of a search response or a COPYUID as a sorted list of ranges, and moves all later ones to insert a
// number that is smaller than the last: 150,000 in descending order, which fit into a reply, take it some ten seconds, in a goroutine that
// nothing ends. It makes one error of those of all levels of a BODYSTRUCTURE.
const (
	maxOpen = 4096
	maxBack = 4096
)

func (t *tally) add(line []byte) error {
	if t.open += bytes.Count(line, []byte("(")); t.open > maxOpen {
		return fetch.Errorf(fetch.ErrLimit, "more than %d lists in a response", maxOpen)
	}
	for digits := range bytes.FieldsFuncSeq(line, func(c rune) bool { return c < '0' || c > '9' }) {
		n, _ := strconv.ParseUint(string(digits), 10, 64)
		if n < t.last {
			t.back++
		}
		t.last = n
	}
	if t.back > maxBack {
		return fetch.Errorf(fetch.ErrLimit, "more than %d numbers of a response are out of order", maxBack)
	}
	return nil
}

// wait returns when a command is unanswered, or when nothing will arrive any more. It returns the size of the literal that is due.
func (g *guard) wait() (literal int64, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.pending == 0 && g.err == nil && !g.closed {
		g.changed.Wait()
	}
	if g.err == nil && g.closed {
		return 0, net.ErrClosed
	}
	return g.literal, g.err
}

// watch starts or stops the timer of a wait without an unanswered command: the library and the guard can differ about where a response
// ends, and no deadline of the connection bounds that wait. A deadline that does comes first.
func (g *guard) watch() {
	if g.stall != nil {
		g.stall.Stop()
	}
	if g.callers > 0 && g.pending == 0 && g.idle > 0 {
		g.stall = time.AfterFunc(2*g.idle, func() {
			g.interrupt(fetch.Errorf(fetch.ErrProtocol, "the response does not end where it should"))
		})
	}
}

// interrupt ends a wait without an unanswered command.
func (g *guard) interrupt(err error) {
	g.mu.Lock()
	vain := g.callers > 0 && g.pending == 0
	g.mu.Unlock()
	if vain {
		g.fail(err)
	}
}

// call runs f, which waits for the library. The wait ends with the context of the request, too. The end of that context never
// interrupts the next call.
func (g *guard) call(f func() error) error {
	count := func(n int) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.callers += n
		g.watch()
	}
	count(1)
	defer count(-1)
	ctx, ended := g.ctx, make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		g.interrupt(ctx.Err())
	})
	defer func() {
		if !stop() {
			<-ended
		}
	}()
	return f()
}

// serve sets the context of the request that the next calls belong to.
func (g *guard) serve(ctx context.Context, env *fetch.Env) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ctx, g.env = ctx, env
}

// Write counts the commands, and sends only commands that outgoing accepts.
func (g *guard) Write(p []byte) (int, error) {
	g.mu.Lock()
	n := len(p)
	if g.swap[0] != "" {
		p = bytes.Replace(p, []byte(g.swap[0]), []byte(g.swap[1]), 1)
	}
	p = reorderItems(p)
	err := g.outgoing.next(p)
	if _, ok := tagOf(p); ok && err == nil {
		if g.pending == 0 {
			g.BeginReply()
		}
		g.pending++
		g.watch()
		g.changed.Broadcast()
	}
	g.mu.Unlock()
	if err == nil {
		_, err = g.Unchecked().Write(p) // outgoing has checked it
	}
	if err != nil {
		return 0, g.fail(err)
	}
	return n, nil
}

// reorderItems puts the items of a listing's FETCH into the order of headerItems. That of the library is random.
func reorderItems(p []byte) []byte {
	tag, _ := tagOf(p)
	if tag == "" || !bytes.HasPrefix(p[len(tag):], []byte(" UID FETCH ")) {
		return p
	}
	return bytes.Replace(p, []byte("RFC822.SIZE INTERNALDATE"), []byte("INTERNALDATE RFC822.SIZE"), 1)
}

// Close also wakes the library's reader.
func (g *guard) Close() error {
	g.mu.Lock()
	g.closed = true
	g.changed.Broadcast()
	g.mu.Unlock()
	return g.Conn.Close()
}

// SetReadDeadline and SetWriteDeadline do nothing: the library's fixed deadlines are shorter than Timeouts may be.
func (g *guard) SetReadDeadline(time.Time) error  { return nil }
func (g *guard) SetWriteDeadline(time.Time) error { return nil }

// fail records the first error, which ends the connection.
func (g *guard) fail(err error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil && g.err == nil && !g.closed {
		g.err = err
		g.changed.Broadcast()
	}
	return err
}

// state returns the text of BYE, and what ended the connection.
func (g *guard) state() (bye string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.bye, g.err
}

// plan permits one command. Nothing else is planned before its response.
func (g *guard) plan(verb string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.outgoing.planned, g.reply = verb, tally{}
}

// renew begins another reply: the bytes so far were requested.
func (g *guard) renew() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reply = tally{}
	if g.literal == 0 && g.pending > 0 {
		g.BeginPart()
	}
}

// expect begins a requested literal that the library has found. A quoted string has been passed on already. If err is not nil, reading the
// literal fails, which the library's reader waits for.
func (g *guard) expect(size int64, err error) {
	g.fail(err)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.braced && size > 0 {
		g.literal = size
		g.BeginBody()
	}
}

// passed counts n bytes of the literal.
func (g *guard) passed(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.literal -= int64(n); g.literal == 0 {
		g.BeginPart()
	}
}

// replace replaces words in the next commands, for arguments that the library cannot send.
func (g *guard) replace(old, new string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.swap = [2]string{old, new}
}

// tagOf returns the tag at the beginning of the library's command or its response: "T" and a number.
func tagOf(p []byte) (string, bool) {
	word, _, ok := bytes.Cut(p[:min(len(p), 24)], []byte(" "))
	if !ok || len(word) < 2 || word[0] != 'T' {
		return "", false
	}
	_, err := strconv.ParseUint(string(word[1:]), 10, 64)
	return string(word), err == nil
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
