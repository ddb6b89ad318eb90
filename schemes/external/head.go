package external

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A head parses the lines of a response before the document.
type head struct {
	*process
	env     *fetch.Env
	plan    *fetch.Plan
	doc     *fetch.Document
	refers  []fetch.Referral
	entries []fetch.Entry
	size    int // bytes so far
}

// read reads lines up to the document, or to the end of a response without one.
func (h *head) read() (*fetch.Document, error) {
	h.doc = fetch.NewDocument(nil)
	for {
		line, err := h.line()
		if err == io.EOF && h.end(false) != nil {
			return nil, h.failed(fetch.ErrLocal)
		}
		if err == io.EOF {
			return nil, fetch.Errorf(fetch.ErrProtocol, "the program ended in the middle of its response")
		}
		if err != nil {
			return nil, err
		}
		word, text, _ := strings.Cut(line, " ")
		switch word {
		case "document":
			return h.document()
		case "done":
			return h.done()
		}
		if err := h.field(word, text); err != nil {
			return nil, err
		}
	}
}

// line reads one line within the bounds of Limits.
func (h *head) line() (string, error) {
	var b []byte
	for most := h.env.Limits(); ; {
		part, err := h.out.ReadSlice('\n')
		b = append(b, part...)
		if h.size += len(part); most.Reply >= 0 && h.size > most.Reply || most.Line >= 0 && len(b) > most.Line {
			return "", fetch.Errorf(fetch.ErrLimit, "the head of the program's response is too long")
		}
		if err == nil {
			return strings.TrimSuffix(string(b), "\n"), nil
		}
		if len(part) == 0 || err == io.EOF {
			return "", io.EOF
		}
	}
}

// field parses one line.
func (h *head) field(word, text string) error {
	switch word {
	case "step":
		return h.env.Announce(fetch.Step{Verb: text, If: "the program says so"})
	case "type":
		h.doc.Type, h.doc.TypeReason = text, "the program"
	case "size":
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return fetch.Errorf(fetch.ErrProtocol, "bad size in the program's response: %.40q", text)
		}
		h.doc.Size = n
	case "refer", "entry":
		return h.target(word, text)
	case "error":
		class, text, _ := strings.Cut(text, " ")
		return fetch.Errorf(classOf(class), "%s", text)
	default:
		return fetch.Errorf(fetch.ErrProtocol, "unknown line in the program's response: %.40q", word)
	}
	return nil
}

// target parses a URI and the title or reason after it.
func (h *head) target(word, text string) error {
	name, rest, _ := strings.Cut(text, " ")
	u, err := uri.Parse(name)
	if err != nil || !u.IsAbs() {
		return fetch.Errorf(fetch.ErrProtocol, "not an absolute URI in the program's response: %.60q", name)
	}
	if word == "entry" {
		h.entries = append(h.entries, fetch.Entry{URI: u, Title: rest, Kind: fetch.KindFile, Size: -1})
		return nil
	}
	h.refers = append(h.refers, fetch.Referral{URI: u, Reason: cmp.Or(rest, "the program")})
	return nil
}

// classOf returns the Kind of an error that the program reports. Kinds that only this side can know are ErrProtocol.
func classOf(word string) fetch.Kind {
	known := []fetch.Kind{
		fetch.ErrRefusedURL, fetch.ErrUnsupported, fetch.ErrDNS, fetch.ErrConnect, fetch.ErrConnection, fetch.ErrTimeout, fetch.ErrTLS, fetch.ErrAuth,
		fetch.ErrNotFound, fetch.ErrRefused, fetch.ErrUnavailable, fetch.ErrProtocol, fetch.ErrLimit,
	}
	if slices.Contains(known, fetch.Kind(word)) {
		return fetch.Kind(word)
	}
	return fetch.ErrProtocol
}

func (h *head) document() (*fetch.Document, error) {
	if len(h.refers)+len(h.entries) > 0 {
		return nil, fetch.Errorf(fetch.ErrProtocol, "the program sent both a document and referrals or entries")
	}
	h.doc.Type = cmp.Or(h.doc.Type, "application/octet-stream")
	h.doc.End = fetch.EndTerminated
	if h.doc.Size >= 0 {
		h.doc.End = fetch.EndDeclared
	}
	h.doc.Body = &body{process: h.process, want: h.doc.Size}
	if h.plan.Options.Op == fetch.Metadata {
		h.end(true)
		h.doc.Body = nil
	}
	return h.doc, nil
}

// done ends a response of referrals or entries.
func (h *head) done() (*fetch.Document, error) {
	if _, err := h.out.ReadByte(); err != io.EOF {
		return nil, errors.Join(fetch.Errorf(fetch.ErrProtocol, "the program wrote more after its response"), err)
	}
	if h.end(false) != nil {
		return nil, h.failed(fetch.ErrLocal)
	}
	if len(h.refers) > 0 {
		h.doc.Referrals, h.doc.Size = h.refers, 0
		return h.doc, nil
	}
	list := h.entries
	return fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}), nil
}
