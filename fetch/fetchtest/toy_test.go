package fetchtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// toy is a protocol of lines. The server greets with "+". It answers GET NAME with "+ SIZE TYPE", the bytes and "done", or with "-" and a
// reason. After "- folder" the client sends LIST NAME, which the server answers with lines up to ".". It answers ASK NAME with the bytes,
// and closes. fault names how the handler is broken.
type toy struct {
	fault string
	calls *atomic.Int64
	last  *atomic.Value
	left  *atomic.Pointer[os.File]
}

const isFolder = "GET answered folder"

func toyScheme(fault string) fetch.Scheme {
	s := fetch.Scheme{
		Names: []string{"toy"}, Rules: uri.Rules{DefaultPort: 7070, Hierarchical: true}, Does: fetch.Does{Retrieves: true},
		Summary: "a toy", Spec: "fetchtest",
		Read: func(u uri.URI, _ uri.Mode) (any, error) { return u.Path().Decode(), nil },
	}
	s.Plan = (&toy{fault: fault, calls: new(atomic.Int64), last: new(atomic.Value), left: new(atomic.Pointer[os.File])}).plan
	if fault == "claims to send" {
		s.Does.Sends = true
	}
	return s
}

func (t *toy) plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if t.fault == "impure plan" {
		t.calls.Add(1)
	}
	addr, err := u.HostPort(7070)
	if err != nil {
		return nil, err
	}
	name := strings.TrimPrefix(u.Path().Decode(), "/")
	t.last.Store(name)
	if err := fetch.CheckWhole("toy", o); err != nil {
		return nil, err
	}
	r := &request{toy: t}
	p := &fetch.Plan{URI: u, Network: "tcp", Addr: addr, Shape: fetch.ShapeDocument, Run: r.run}
	if t.fault == "impure plan" {
		p.Type = fmt.Sprint("x/", t.calls.Load())
	}
	if o.Login.Set {
		p.Steps = append(p.Steps, fetch.Step{Verb: "LOGIN", Args: []string{o.Login.User, o.Login.Password}, Secret: true})
	}
	verb := "GET"
	if strings.HasPrefix(name, "ask/") {
		verb = "ASK"
	}
	step := fetch.Step{Verb: verb, Args: []string{name}}
	if t.fault == "command in data" || t.fault == "command at run" {
		step = fetch.Step{Verb: verb, Data: name}
	}
	list := step
	list.Verb, list.If = "LIST", isFolder
	p.Steps = append(p.Steps, step, list)
	return p, nil
}

// A request is the data that a plan's functions share.
type request struct {
	*toy
	runs atomic.Int64
}

// A talk is one conversation.
type talk struct {
	*toy
	c   *fetch.Conn
	env *fetch.Env
	p   *fetch.Plan
}

func (r *request) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	switch r.fault {
	case "request used up":
		if r.runs.Add(1) > 1 {
			return nil, fetch.Errorf(fetch.ErrLocal, "the request is used up")
		}
	case "steps filled in":
		if r.runs.Add(1) == 1 { // once, before runs at the same time: the race detector need not find it
			defer func() { p.Steps[0].Repeat = "again" }()
		}
	case "file left open":
		f, _ := os.Open("/dev/null")
		r.left.Store(f) // otherwise the garbage collector may close it
	case "goroutine left":
		go pass(2 * watchdog)
	}
	c, err := env.Dial(ctx, "tcp", p.Addr, &fetch.DialOptions{Record: fetch.RecordLines})
	if err != nil {
		return nil, err
	}
	k := &talk{r.toy, c, env, p}
	if r.fault == "no reply before a document" {
		if err := c.Send(p.Steps[0]); err != nil {
			return nil, err
		}
		return k.document("+ ? text/plain")
	}
	if _, err := k.reply(); err != nil {
		return nil, err
	}
	if r.fault == "extra command" {
		if _, err := k.say(fetch.Step{Verb: "NOOP"}); err != nil {
			return nil, err
		}
	}
	line, err := k.steps()
	if err != nil {
		return nil, err
	}
	return k.document(line)
}

// steps sends the plan and returns the reply to its last command.
func (k *talk) steps() (line string, err error) {
	list := k.p.When("")
	if k.fault == "wrong order" && len(list) > 1 {
		list = []fetch.Step{list[1], list[0]}
	}
	for _, s := range list {
		if line, err = k.say(s); err != nil {
			return "", err
		}
		if k.fault == "conditional at once" && s.Verb == "GET" {
			k.env.Announce(k.p.When(isFolder)[0])
		}
	}
	if line == "- folder" {
		if k.fault == "extra command, not announced" {
			if _, err := k.say(fetch.Step{Verb: "NOOP"}); err != nil {
				return "", err
			}
		}
		return k.say(k.p.When(isFolder)[0])
	}
	return line, nil
}

func (k *talk) say(s fetch.Step) (string, error) {
	text := s.Line() + "\r\n"
	switch {
	case k.fault == "bare LF":
		text = s.Line() + "\n"
	case k.fault == "command in data" && s.Data != "":
		text = s.Line() + " " + s.Data + "\r\n"
	case k.fault == "command at run" && s.Data != "":
		text = s.Line() + " " + strings.TrimPrefix(k.p.URI.Path().Decode(), "/") + "\r\n"
	case k.fault == "state in the handler" && s.Verb == "GET":
		text = "GET " + k.last.Load().(string) + "\r\n"
	}
	if k.fault == "login encoded" && s.Secret { // in a form that the engine does not know
		s.Args, s.Secret = []string{hex.EncodeToString([]byte(s.Args[1]))}, false
	}
	switch k.fault {
	case "announced late", "not announced", "extra command, not announced", "bare LF", "command in data", "command at run",
		"state in the handler", "login encoded":
		if err := k.unchecked(s, text); err != nil {
			return "", err
		}
	case "writes itself":
		if _, err := io.WriteString(k.c, text); err != nil {
			return "", err
		}
	default:
		if err := k.c.Send(s); err != nil {
			return "", err
		}
	}
	return k.reply()
}

// unchecked sends text without Conn.Send.
func (k *talk) unchecked(s fetch.Step, text string) error {
	if k.fault != "announced late" && k.fault != "not announced" && s.Verb != "NOOP" {
		k.env.Announce(s)
	}
	_, err := io.WriteString(k.c.Unchecked(), text)
	if k.fault == "announced late" {
		k.env.Announce(s)
	}
	return err
}

// reply reads a line.
func (k *talk) reply() (string, error) {
	b, err := k.line()
	if errors.Is(err, io.ErrUnexpectedEOF) && k.fault == "wrong kind" {
		return "", fetch.Errorf(fetch.ErrNotFound, "it is not there")
	}
	if err != nil {
		if k.fault == "sleeps on errors" {
			pass(patience + time.Second/2)
		}
		return "", err
	}
	line := string(b)
	switch {
	case line == "- folder":
		return line, nil
	case k.fault == "panics" && line != "" && strings.Trim(line[:1], "+-") != "":
		panic("what is this?")
	case strings.HasPrefix(line, "-") && k.fault == "error without a kind":
		return "", errors.New("refused")
	case strings.HasPrefix(line, "- auth"):
		return "", fetch.Errorf(fetch.ErrAuth, "the server refuses the login of %s", k.p.Options.Login.User)
	case strings.HasPrefix(line, "-") && k.fault == "error as document":
		return "+ 0 text/plain", nil
	case strings.HasPrefix(line, "-"):
		return "", fetch.Errorf(fetch.ErrNotFound, "the reply is %q", line)
	case !strings.HasPrefix(line, "+"):
		return "", fetch.Errorf(fetch.ErrProtocol, "the reply is %q", line)
	}
	return line, nil
}

// line reads a line that begins a reply.
func (k *talk) line() (line []byte, err error) {
	switch k.fault {
	case "reply without its deadline":
	case "line without a bound":
		line, err = bufio.NewReader(k.c).ReadBytes('\n')
		return bytes.TrimSpace(line), err
	default:
		k.c.BeginReply()
	}
	return k.c.ReadLine()
}

// document returns the Document after line.
func (k *talk) document(line string) (*fetch.Document, error) {
	d := fetch.NewDocument(nil)
	f := strings.Fields(line)
	switch {
	case len(f) == 1: // a folder
		d.Type, d.End = "text/plain", fetch.EndTerminated
		d.Body = k.text()
		if strings.HasSuffix(k.p.URI.String(), "/") {
			d.ListWith(k.entries)
		}
	case len(f) != 3:
		return nil, fetch.Errorf(fetch.ErrProtocol, "the reply is %q", line)
	case f[1] == "?":
		d.Type, d.End = f[2], fetch.EndClosed
		d.Body = fetch.NewBody(k.c, k.c.Close)
	default:
		return k.counted(d, f)
	}
	if k.fault != "body in the reply" {
		k.c.BeginBody()
	}
	return d, nil
}

// entries parses the names of a directory.
func (k *talk) entries(r io.Reader) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		s := bufio.NewScanner(r)
		for s.Scan() {
			to := uri.MustParse(k.p.URI.String() + s.Text())
			if !yield(fetch.Entry{URI: to, Title: s.Text(), Kind: fetch.KindFile, Size: -1}, nil) {
				return
			}
		}
		if s.Err() != nil {
			yield(fetch.Entry{}, s.Err())
		}
	}
}

func (k *talk) counted(d *fetch.Document, f []string) (*fetch.Document, error) {
	n, err := strconv.ParseInt(f[1], 10, 64)
	if err != nil || n < 0 {
		return nil, fetch.Errorf(fetch.ErrProtocol, "the reply is %q", f)
	}
	d.Size, d.Type, d.End = n, f[2], fetch.EndDeclared
	switch k.fault {
	case "no type", "no type of an empty document":
		d.Type = ""
	case "wrong size":
		d.Size++
	case "end closed":
		d.End = fetch.EndClosed
	}
	d.Body = &counted{talk: k, left: n}
	if k.fault == "memory for an announced length" {
		d.Body = fetch.NewBody(bufio.NewReaderSize(d.Body, int(n)), d.Body.Close)
	}
	if k.fault != "body in the reply" {
		k.c.BeginBody()
	}
	return d, nil
}

// text returns the lines of a listing, which end with a dot.
func (k *talk) text() io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		for {
			line, err := k.c.ReadLine()
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			if err != nil || string(line) == "." {
				w.CloseWithError(err)
				return
			}
			fmt.Fprintf(w, "%s\n", line)
		}
	}()
	return fetch.NewBody(r, func() error { r.Close(); return k.c.Close() })
}

// counted is a Body of known length, with "done" after it.
type counted struct {
	*talk
	left int64
	done bool
}

func (b *counted) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, b.confirm()
	}
	if b.fault == "reads by the byte count only" {
		b.done = true
	}
	n, err := b.c.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err == io.EOF && b.fault == "short document" {
		return n, io.EOF
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (b *counted) confirm() error {
	if b.done {
		return io.EOF
	}
	if b.fault != "end without its deadline" {
		b.c.BeginPart()
	}
	line, err := b.c.ReadLine()
	switch {
	case err == io.EOF:
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	case !bytes.Equal(line, []byte("done")):
		return fetch.Errorf(fetch.ErrTransfer, "the reply is %q", line)
	}
	b.done = true
	return io.EOF
}

func (b *counted) Close() error {
	if b.fault == "close waits" {
		io.Copy(io.Discard, b.c)
	}
	return b.c.Close()
}
