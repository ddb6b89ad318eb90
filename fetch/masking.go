package fetch

import (
	"slices"
	"strings"

	"example.org/deref/fetch/internal/secrets"
)

// maskDocument masks the secrets in the fields of d that quote the server. Its bytes and its links stay as they are.
func (e *Env) maskDocument(d *Document) {
	s := &e.secrets
	if s.IsEmpty() {
		return
	}
	for _, text := range [...]*string{&d.Type, &d.TypeReason, &d.Protocol, &d.Validator.Modified} {
		*text = s.MaskDistinctive(*text)
	}
	d.Validator.Tag = s.MaskWords(d.Validator.Tag)
	if d.Reason = s.MaskDistinctive(d.Reason); d.Status < 200 || d.Status > 399 { // a refusal, in which servers repeat the client's input
		d.Reason = s.MaskWords(d.Reason)
	}
	if slices.ContainsFunc(d.Referrals, func(r Referral) bool { return s.MaskDistinctive(r.Reason) != r.Reason }) {
		d.Referrals = slices.Clone(d.Referrals) // they may be the Plan's
		for i := range d.Referrals {
			d.Referrals[i].Reason = s.MaskDistinctive(d.Referrals[i].Reason)
		}
	}
	d.Header = s.MaskHeader(d.Header)
}

// watchBody notifies the Client once if a document repeats a secret of the request. Documents are never changed.
func (e *Env) watchBody(t *secrets.Tail, p []byte) {
	if e.client.Repeated == nil || e.repeated.Load() {
		return
	}
	if e.secrets.Contains(t, p) && e.repeated.CompareAndSwap(false, true) {
		e.client.Repeated(e.plan.URI)
	}
}

// maskSent masks the secrets in a line of the client. In a line that the Plan has word for word, and not as a secret, only distinctive secrets
// are masked: its words are those of the URI, even if a password is the same word.
func (e *Env) maskSent(line []byte) []byte {
	if e.secrets.IsEmpty() {
		return line
	}
	sent := strings.TrimRight(string(line), "\r\n")
	if slices.ContainsFunc(e.plan.Steps, func(s Step) bool { return !s.Secret && s.Line() == sent }) {
		if text := e.secrets.MaskDistinctive(sent); text != sent {
			return append([]byte(text), line[len(sent):]...)
		}
		return line
	}
	return e.secrets.MaskLine(line)
}
