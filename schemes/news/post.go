package news

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/mail"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/crlf"
	"example.org/deref/schemes/internal/dot"
)

// Send posts an article to a group: RFC 3977 section 6.3.1. What can be wrong with its header is found before anybody is contacted.
func (req *request) send(ctx context.Context, p *fetch.Plan, env *fetch.Env, msg io.Reader) (*fetch.Receipt, error) {
	r := req.start(ctx, p, env)
	if msg == nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "an article is wanted: the URI makes none")
	}
	r.serial = true // whatever stands behind POST could be taken for the article
	in := bufio.NewReader(msg)
	head, err := r.completeHeader(in)
	if err != nil {
		return nil, err
	}
	for {
		s, done, err := fetch.Lease(ctx, env, r.leaseKey(), r.open)
		if err != nil {
			return nil, err
		}
		r.s, r.done = s, done
		s.replies = 0
		receipt, err := r.post(head, in)
		again := err != nil && r.isStale(err) // then nothing of the article was sent
		r.release()
		if !again {
			return receipt, err
		}
	}
}

// post says POST, and hands the article over.
func (r *run) post(head []byte, body io.Reader) (*fetch.Receipt, error) {
	if err := r.begin(r.mainSteps()); err != nil {
		return nil, err
	}
	step, a, err := r.nextReply()
	switch {
	case err != nil:
		return nil, err
	case a.code != 340:
		return nil, fail(step, a)
	}
	out, err := r.s.body(r.plan.When(ifAccepted)[0])
	if err != nil {
		return nil, r.end(err)
	}
	w := bufio.NewWriterSize(out, 32<<10)
	text := dot.NewWriter(w)
	lines := crlf.NewTextWriter(text) // RFC 3977 section 3.1.1: neither CR nor LF stands alone
	if _, err := lines.Write(head); err != nil {
		return nil, r.end(err)
	}
	if _, err := io.Copy(lines, body); err != nil {
		if fetch.KindOf(err) == "" {
			err = fetch.Errorf(fetch.ErrLocal, "the article cannot be read: %w", err)
		}
		return nil, r.end(err)
	}
	if err := text.Close(); err != nil {
		return nil, r.end(err)
	}
	if err := w.Flush(); err != nil {
		return nil, r.end(errUnknown(err))
	}
	return r.outcome()
}

// accepted hears what became of the article. From the last dot on nobody knows, until the reply is there.
func (r *run) outcome() (*fetch.Receipt, error) {
	a, err := r.s.readReply()
	if err == nil && !isReplyTo(article, a.code) {
		err = fetch.Errorf(fetch.ErrProtocol, "%d %s is no reply to an article", a.code, clip(a.text))
	}
	if err != nil {
		return nil, r.end(errUnknown(err))
	}
	if a.code != 240 {
		return nil, fail(fetch.Step{Verb: article}, a)
	}
	return &fetch.Receipt{Accepted: []string{string(*r.Group)}, Reply: clip(a.text)}, nil
}

func errUnknown(err error) error {
	return fetch.Errorf(fetch.ErrTransfer, "unknown whether accepted: %w", err)
}

// letterhead reads the header of an article that is to be posted, checks it, and adds what the URI and the settings say.
func (r *run) completeHeader(in *bufio.Reader) ([]byte, error) {
	head, err := readHeader(in, r.env.Limits().Reply)
	if err != nil {
		return nil, err
	}
	h := mimemail.ParseHeader(head)
	var add []byte
	if h.Get("From") == "" && r.from != "" {
		add = append(add, "From: "+r.from+"\r\n"...)
		h = append(h, mimemail.Field{Name: "From", Value: r.from})
	}
	if h.Get("Newsgroups") == "" {
		add = append(add, "Newsgroups: "+string(*r.Group)+"\r\n"...)
		h = append(h, mimemail.Field{Name: "Newsgroups", Value: string(*r.Group)})
	}
	return append(add, head...), r.checkHeader(h)
}

func (r *run) checkHeader(h mimemail.Header) error {
	wrong := func(format string, args ...any) error { return fetch.Errorf(fetch.ErrLocal, format, args...) }
	if _, err := mail.ParseAddress(h.Get("From")); err != nil {
		return &fetch.Error{Kind: fetch.ErrLocal, Text: "the article's From is no address", Hint: "--from ADDR adds one"}
	}
	if h.Get("Subject") == "" {
		return wrong("the article has no Subject")
	}
	groups := strings.Split(h.Get("Newsgroups"), ",")
	for i, g := range groups {
		if groups[i] = strings.TrimSpace(g); !isWord(groups[i]) {
			return wrong("the article's Newsgroups is no list of groups")
		}
	}
	if !slices.Contains(groups, string(*r.Group)) {
		return wrong("the article's Newsgroups does not have %s", *r.Group)
	}
	if id := h.Get("Message-Id"); id != "" {
		if _, ok := cutID(id); !ok {
			return wrong("the article's Message-ID is none")
		}
	}
	for _, f := range h {
		if strings.ContainsAny(f.Value, "\x00\r") {
			return wrong("the article's %s holds a control character", f.Name)
		}
	}
	return nil
}

// readLetterhead reads up to the empty line, and takes that too. Every line must be a field or the continuation of one: a server would take
// the rest of the header for the body.
func readHeader(in *bufio.Reader, most int) ([]byte, error) {
	var head []byte
	for {
		line, err := in.ReadSlice('\n')
		if err == bufio.ErrBufferFull || most > 0 && len(head)+len(line) > most {
			return nil, fetch.Errorf(fetch.ErrLimit, "the article's header is too long")
		}
		if err != nil && err != io.EOF {
			return nil, fetch.Errorf(fetch.ErrLocal, "the article cannot be read: %w", err)
		}
		line = bytes.TrimRight(line, "\r\n")
		if bytes.ContainsAny(line, "\r\x00") {
			return nil, fetch.Errorf(fetch.ErrLocal, "CR or NUL within a line of the article's header")
		}
		if len(line) > 0 {
			name, _, ok := strings.Cut(string(line), ":")
			if folded := line[0] == ' ' || line[0] == '\t'; folded && len(head) == 0 || !folded && (!ok || !isWord(name)) {
				return nil, fetch.Errorf(fetch.ErrLocal, "the article does not begin with header fields: %q", clip(string(line)))
			}
		}
		head = append(append(head, line...), "\r\n"...)
		if len(line) == 0 || err == io.EOF {
			if len(line) > 0 {
				head = append(head, "\r\n"...)
			}
			return head, nil
		}
	}
}
