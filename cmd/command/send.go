package command

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// sendFlags are the flags of the send command.
type sendFlags struct {
	request.Flags
	request.TraceFlags
	file   string
	letter letterFlags
	empty  bool
	dryRun bool
	silent bool
}

func sendCommand(fs *pflag.FlagSet) action {
	var f sendFlags
	flags.TextVar(fs, &f.file, "file", "", "read the message from `FILE` (- is standard input, the default unless the URI has a body)")
	f.letter.add(fs)
	fs.BoolVar(&f.empty, "empty", false, "send a message without text; do not read standard input")
	fs.BoolVar(&f.dryRun, "dry-run", false, "print the message, and contact no server")
	fs.BoolVarP(&f.silent, "silent", "s", false, "print neither the server's replies nor error lines")
	f.TraceFlags.Add(fs)
	f.Flags.Add(fs)
	return f.run
}

// run sends a message to the one URI of the command line.
func (f *sendFlags) run(ctx context.Context, a *app.App, args []string) (err error) {
	a.Silent, a.Quiet = f.silent, f.silent
	c, o, u, err := f.Prepare(ctx, a, args[0])
	if err != nil {
		return err
	}
	defer c.Close()
	msg, err := f.message(a, u, o)
	if err != nil {
		return err
	}
	if msg != nil {
		defer msg.Close()
	}
	if list := fieldsOf(u)["bcc"]; list != nil { // RFC 6068 section 7: the user might not have seen them
		a.Warn(fmt.Errorf("the URI's bcc names more recipients, whom the message does not show: %s", strings.Join(list, ",")))
	}
	request.WarnOfSecrets(a, c, f.Record, f.Trace)
	done, err := f.Traces(a, o, f.Notes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	if f.dryRun {
		if u.Scheme() != "mailto" {
			return flags.Usage("--dry-run: only the messages of mailto URIs can be printed")
		}
		o.Set["mailto.dry-run"] = []string{"yes"}
		o.Trace = request.JoinTraces(o.Trace, func(e fetch.Event) {
			if e.Step != nil && e.Step.Verb == "message" {
				io.WriteString(a.Out(), e.Step.Data)
			}
		})
	}
	ctx, stop := terminal.Interruptible(ctx)
	defer stop()
	r, err := c.Send(ctx, u, msg, o)
	if r != nil && !f.silent {
		printReceipt(a, r)
	}
	if err == nil && len(r.Refused) > 0 {
		return fetch.Errorf(fetch.ErrRefused, "%d of %d recipients were refused; the message was accepted for the others", len(r.Refused), len(r.Refused)+len(r.Accepted))
	}
	return err
}

// message opens the message: the file of --file, or else standard input. It returns nil if the URI itself has the text. A message without text
// needs --empty, because an unconnected standard input would send one by mistake.
func (f *sendFlags) message(a *app.App, u uri.URI, o *fetch.Options) (io.ReadCloser, error) {
	if err := f.letter.check(f, u); err != nil {
		return nil, err
	}
	if len(f.letter.bcc) > 0 {
		o.Set["mailto.bcc"] = append(slices.Clone(o.Set["mailto.bcc"]), f.letter.bcc...)
	}
	switch made := u.Scheme() == "mailto"; {
	case f.empty && (f.file != "" || !made):
		return nil, flags.Usage("--empty makes the message from the header fields of a mailto URI; it excludes --file")
	case f.letter.used():
		return f.letter.open(a, u, o, f.empty)
	case f.empty, f.file == "" && made && fieldsOf(u)["body"] != nil:
		return nil, nil
	}
	unused := slices.Sorted(maps.Keys(fieldsOf(u)))
	unused = slices.DeleteFunc(unused, func(name string) bool { return name == "to" || name == "cc" || name == "bcc" })
	if len(unused) > 0 {
		a.Warn(fmt.Errorf("the message was given separately, so the URI's %s is not sent", strings.Join(unused, ", ")))
	}
	return openMessage(a, f.file)
}

// openMessage opens a message or its text. "" and "-" are standard input.
func openMessage(a *app.App, name string) (*notEmpty, error) {
	in, err := flags.Open(cmp.Or(name, "-"), a.Stdin)
	if err != nil {
		return nil, err
	}
	return &notEmpty{Closer: in, in: bufio.NewReaderSize(in, mostBlank)}, nil
}

// fieldsOf returns the fields of a mailto URI that have a value (RFC 6068 section 2), by their names in lower case.
func fieldsOf(u uri.URI) map[string][]string {
	fields := map[string][]string{}
	query, _ := u.Query()
	for field := range strings.SplitSeq(string(query), "&") {
		name, value, _ := strings.Cut(field, "=")
		if name = strings.ToLower(uri.Escaped(name).Decode()); name != "" && value != "" && u.Scheme() == "mailto" {
			fields[name] = append(fields[name], uri.Escaped(value).Decode())
		}
	}
	return fields
}

// notEmpty reads a message. Its first Read fails if the message is only white space.
type notEmpty struct {
	io.Closer
	in    *bufio.Reader
	found bool
}

// mostBlank bounds the white space before a message.
const mostBlank = 64 << 10

func (m *notEmpty) Read(p []byte) (int, error) {
	for n := 1; !m.found && n <= mostBlank; n++ {
		b, err := m.in.Peek(n)
		if err == io.EOF {
			return 0, &fetch.Error{Kind: fetch.ErrLocal, Text: "the message is empty", Hint: "--empty sends a mailto URI without text; ?body=TEXT gives it one"}
		}
		if err != nil {
			return 0, fetch.Errorf(fetch.ErrLocal, "reading the message: %w", err)
		}
		m.found = len(bytes.TrimSpace(b[n-1:])) > 0
	}
	m.found = true
	return m.in.Read(p)
}

// printReceipt prints which recipients the server accepted and refused.
func printReceipt(a *app.App, r *fetch.Receipt) {
	for _, to := range r.Accepted {
		fmt.Fprintf(a.Stderr, "accepted: %s\n", render.Escape(to))
	}
	for _, to := range slices.Sorted(maps.Keys(r.Refused)) {
		fmt.Fprintf(a.Stderr, "refused: %s: %s\n", render.Escape(to), render.Escape(r.Refused[to]))
	}
	if r.Reply != "" {
		fmt.Fprintf(a.Stderr, "reply: %s\n", render.Escape(r.Reply))
	}
}
