package warc

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"

	"example.org/deref/uri"
)

// A Moment is the time for which an Archive answers, and the capture that it has answered with. It is safe for concurrent use.
type Moment struct {
	want time.Time
	pick *Pick // the record that answers for its URI

	mu      sync.Mutex
	archive *Archive
	uri     uri.URI
	at      recordRef
}

// momentKey is the context key of a Moment.
type momentKey struct{}

// At returns a context in which an Archive answers as of t: with the capture of that second, and otherwise with the best one that is nearest in
// time. For the zero time, and in other contexts, the latest capture answers.
func At(ctx context.Context, t time.Time) (context.Context, *Moment) {
	m := &Moment{want: t}
	return context.WithValue(ctx, momentKey{}, m), m
}

// momentIn returns the Moment of a context, or one that nobody reads.
func momentIn(ctx context.Context) *Moment {
	if m, ok := ctx.Value(momentKey{}).(*Moment); ok {
		return m
	}
	return &Moment{}
}

// Want returns the time that At was called with.
func (m *Moment) Want() time.Time { return m.want }

func (m *Moment) set(a *Archive, u uri.URI, p recordRef) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.archive, m.uri, m.at = a, u, p
}

// Captured returns the URI and the time of the capture that answered last. After referrals that is the capture of the document itself. It
// returns false if none has answered.
func (m *Moment) Captured() (u uri.URI, date time.Time, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.uri, time.UnixMicro(m.at.date).UTC().Truncate(time.Second), m.archive != nil
}

// Conversation returns the conversation of that capture, at most limit bytes of it: the text of its DialogueType record without the comments at
// its head, or the header fields of an HTTP request and response in that form. It is empty if the archive has none.
func (m *Moment) Conversation(limit int) string {
	m.mu.Lock()
	a, p := m.archive, m.at
	m.mu.Unlock()
	if a == nil {
		return ""
	}
	if p.kind != refDialogue {
		if p.dialogue == nil {
			return a.httpConversation(p, limit)
		}
		p = *p.dialogue
	}
	r, err := a.open(p)
	if err != nil {
		return ""
	}
	defer r.Close()
	_, in := cutOutcome(r.Block)
	b, _ := io.ReadAll(io.LimitReader(in, int64(limit)))
	return string(b)
}

// httpConversation returns the heads of a request, if it follows the response, and of the response.
func (a *Archive) httpConversation(p recordRef, limit int) string {
	r, err := a.open(p)
	if err != nil {
		return ""
	}
	defer r.Close()
	response, _, _ := splitMessage(r.Record)
	var request []byte
	a.after(r, func(next *Record) bool {
		if next.Type() == Request {
			request, _ = requestHead(next)
		}
		return request == nil
	})
	var b strings.Builder
	for i, head := range [][]byte{request, response} {
		for line := range strings.Lines(string(head)) {
			if b.Len() < limit {
				b.WriteString([]string{"C: ", "S: "}[i] + strings.TrimRight(line, "\r\n") + "\n")
			}
		}
	}
	return b.String()
}
