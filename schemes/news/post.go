package news

import (
	"bufio"
	"context"
	"io"
	"net/mail"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/schemes/internal/maildoc"
)

// send posts an article to a group (RFC 3977 section 6.3.1). It finds errors in the header before it contacts the server.
func (req *request) send(ctx context.Context, p *fetch.Plan, env *fetch.Env, msg io.Reader) (*fetch.Receipt, error) {
	r := req.start(ctx, p, env)
	if msg == nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "no article given: a news URI does not contain one")
	}
	r.serial = true // whatever follows POST could be treated as the article
	in := bufio.NewReader(msg)
	head, err := r.completeHeader(in)
	if err != nil {
		return nil, err
	}
	for {
		var receipt *fetch.Receipt
		_, err := r.attempt(func() (_ *fetch.Document, err error) {
			if receipt, err = r.post(head, in); err == nil {
				r.release()
			}
			return nil, err
		})
		if err == nil || !r.mayRetry(err) { // if it may be repeated, nothing of the article was sent
			return receipt, err
		}
	}
}

// post sends POST and the article.
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
	out, err := r.s.conn.SendBody(r.plan.When(ifAccepted)[0])
	if err != nil {
		return nil, r.end(err)
	}
	w := bufio.NewWriterSize(out, 32<<10)
	text := lineproto.NewDotWriter(w)
	lines := lineproto.NewTextWriter(text) // RFC 3977 section 3.1.1: no CR or LF alone
	if _, err := lines.Write(head); err != nil {
		return nil, r.end(err)
	}
	if _, err := io.Copy(lines, body); err != nil {
		return nil, r.end(maildoc.Unreadable(err))
	}
	if err := text.Close(); err != nil {
		return nil, r.end(err)
	}
	if err := w.Flush(); err != nil {
		return nil, r.end(errUnknown(err))
	}
	return r.outcome()
}

// outcome reads the reply to the article. Between the final dot and this reply the outcome is unknown.
func (r *run) outcome() (*fetch.Receipt, error) {
	a, err := r.s.readReply()
	if err == nil && !isReplyTo(article, a.code) {
		err = fetch.Errorf(fetch.ErrProtocol, "unexpected reply to the article: %d %s", a.code, clip(a.text))
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

// completeHeader reads and checks the header of an article to post, and adds the fields that the URI and the settings supply.
func (r *run) completeHeader(in *bufio.Reader) ([]byte, error) {
	fields, err := maildoc.ReadFields(in, r.env.Limits().Reply)
	if err != nil {
		return nil, err
	}
	var add, head []byte
	for _, f := range fields {
		head = append(head, f.Text...)
	}
	h := mimemail.ParseHeader(head)
	for _, f := range []mimemail.Field{{Name: "From", Value: r.from}, {Name: "Newsgroups", Value: string(*r.Group)}} {
		if h.Get(f.Name) == "" && f.Value != "" {
			add = append(add, f.Name+": "+f.Value+"\r\n"...)
			h = append(h, f)
		}
	}
	return slices.Concat(add, head, []byte("\r\n")), r.checkHeader(h)
}

func (r *run) checkHeader(h mimemail.Header) error {
	wrong := func(format string, args ...any) error { return fetch.Errorf(fetch.ErrLocal, format, args...) }
	if _, err := mail.ParseAddressList(h.Get("From")); err != nil {
		return &fetch.Error{Kind: fetch.ErrLocal, Text: "From of the article is not an address", Hint: hint.Set + " news.from=ADDRESS"}
	}
	if h.Get("Subject") == "" {
		return wrong("Subject of the article is missing")
	}
	groups := strings.Split(h.Get("Newsgroups"), ",")
	for i, g := range groups {
		if groups[i] = strings.TrimSpace(g); !isWord(groups[i]) {
			return wrong("Newsgroups of the article is not a list of groups")
		}
	}
	if !slices.Contains(groups, string(*r.Group)) {
		return wrong("Newsgroups of the article does not contain %s", *r.Group)
	}
	if id := h.Get("Message-Id"); id != "" {
		if _, ok := cutID(id); !ok {
			return wrong("Message-ID of the article is not a message-id")
		}
	}
	for _, f := range h {
		if strings.ContainsAny(f.Value, "\x00\r") {
			return wrong("%s of the article contains a control character", f.Name)
		}
	}
	return nil
}
