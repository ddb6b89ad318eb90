package fetchtest

import (
	"bytes"
	"fmt"

	"example.org/deref/fetch"
)

// checkAnnounced: a step is announced before the client sends its bytes. Conn.Send does both. A handler that writes in another way, such as a
// library's, calls Env.Announce first.
func checkAnnounced(x *subject) error {
	a := x.attempt()
	if _, err := a.run(); err != nil {
		return err
	}
	return a.trace.unannounced
}

// sends notes the first bytes of the client that no announced step accounts for. Caller holds mu.
func (t *traced) sends(e fetch.Event) {
	switch {
	case t.unannounced != nil:
	case len(t.announced) == 0:
		t.unannounced = fmt.Errorf("the client sends %q before any step is announced: write by Conn.Send, or call Env.Announce first", e.Data)
	case e.Text && !t.accounts(bytes.TrimRight(e.Data, "\r\n")):
		t.unannounced = fmt.Errorf("the client sends the line %q, and no announced step has this command: write by Conn.Send, or call "+
			"Env.Announce first", e.Data)
	}
}

// accounts reports whether line can be a step announced so far, a part of its Data, or the continuation of a secret one.
func (t *traced) accounts(line []byte) bool {
	if len(line) == 0 || bytes.Contains(line, []byte("***")) || t.announced[len(t.announced)-1].step.Secret { // the trace masks secrets
		return true
	}
	for _, s := range t.announced {
		word := s.step.Verb
		if word == "" {
			word = s.step.Line()
		}
		if bytes.Contains(line, []byte(word)) || bytes.Contains([]byte(s.step.Data), line) {
			return true
		}
	}
	return false
}
