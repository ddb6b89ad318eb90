package news

import (
	"bytes"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/maildoc"
)

const articleType = maildoc.MessageType

// oneArticle reads the reply to ARTICLE, HEAD, BODY or STAT.
func (r *run) oneArticle() (*fetch.Document, error) {
	step, a, err := r.nextReply()
	if err != nil {
		return nil, err
	}
	if a.class() != 2 {
		err := fail(step, a)
		if d := r.archiveReferrals(a); d != nil {
			r.release()
			return d, nil
		}
		return nil, err
	}
	id := identifier(a.text)
	if r.MessageID != nil {
		if id != "" && id != string(*r.MessageID) {
			return nil, r.end(fetch.Errorf(fetch.ErrProtocol, "the reply is about another article: %d %s", a.code, clip(a.text)))
		}
		id = string(*r.MessageID)
	}
	return r.document(step.Verb, id)
}

// identifier returns the message-id in "number <message-id> text" (RFC 3977 section 6.2.1) without its brackets, or "".
func identifier(text string) string {
	for f := range strings.FieldsSeq(text) {
		if id, ok := cutID(f); ok {
			return id
		}
	}
	return ""
}

// cutID strips the blanks and brackets around a message-id.
func cutID(s string) (string, bool) {
	if s = strings.TrimSpace(s); len(s) < 3 || s[0] != '<' || s[len(s)-1] != '>' {
		return "", false
	}
	return s[1 : len(s)-1], isID(s[1 : len(s)-1])
}

// newArticle returns a document without a Body.
func (r *run) newArticle(id string) *fetch.Document {
	d := fetch.NewDocument(nil)
	d.Type, d.TypeReason, d.Base = articleType, "an article", r.articleURI(id)
	if id != "" {
		d.Validator = fetch.Validator{Tag: "<" + id + ">"}
		d.Header.Set("Message-Id", "<"+id+">")
	}
	return d
}

// document returns a document of the text that follows.
func (r *run) document(verb, id string) (*fetch.Document, error) {
	d := r.newArticle(id)
	d.End = fetch.EndTerminated
	if verb == "STAT" {
		r.release()
		return d, nil
	}
	b := &body{text: newText(r.s, r.textEnded)}
	if verb == "BODY" {
		d.Type, d.TypeReason, d.Body = "text/plain", "the body of an article", b
		return d, nil
	}
	if err := b.readHead(r.env.Limits()); err != nil {
		b.Close()
		return nil, err
	}
	head := mimemail.ParseHeader(b.ahead)
	maildoc.SetFields(d, head)
	if id == "" {
		if id, ok := cutID(head.Get("Message-Id")); ok {
			d.Base = r.articleURI(id)
		}
	}
	if r.plan.Options.Op == fetch.Metadata {
		return d, b.rest()
	}
	d.Body = b
	maildoc.List(d, r.env.Limits().Nesting, r.linksOf, r.partEntry)
	return r.onlyPart(d)
}

// readHead reads up to the empty line after the header.
func (b *body) readHead(l fetch.Limits) error {
	line := 0 // offset of the incomplete line
	for {
		p, err := b.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		b.ahead = append(b.ahead, p...)
		for {
			i := bytes.IndexByte(b.ahead[line:], '\n')
			switch {
			case l.Line > 0 && (i > l.Line || i < 0 && len(b.ahead)-line > l.Line):
				return fetch.Errorf(fetch.ErrLimit, "a line is longer than %d bytes", l.Line)
			case i == 1 && b.ahead[line] == '\r':
				return nil
			}
			if i < 0 {
				break
			}
			line += i + 1
		}
		if l.Reply > 0 && len(b.ahead) > l.Reply {
			return fetch.Errorf(fetch.ErrLimit, "the header is longer than %d bytes", l.Reply)
		}
	}
}

// rest reads and discards the rest of the text.
func (b *body) rest() error {
	for {
		if _, err := b.next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}
