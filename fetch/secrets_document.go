package fetch

import (
	"net/textproto"
	"slices"
)

// maskDocument blanks what a Document tells of the server's words: all but its octets, and where it leads.
func (e *Env) maskDocument(d *Document) {
	s := &e.secrets
	if s.isNone() {
		return
	}
	for _, text := range [...]*string{&d.Type, &d.TypeReason, &d.Protocol, &d.Validator.Modified} {
		*text = s.maskPeculiar(*text)
	}
	d.Validator.Tag = s.maskWords(d.Validator.Tag)
	if d.Reason = s.maskPeculiar(d.Reason); d.Status < 200 || d.Status > 399 { // see status
		d.Reason = s.maskWords(d.Reason)
	}
	if slices.ContainsFunc(d.Referrals, func(r Referral) bool { return s.maskPeculiar(r.Reason) != r.Reason }) {
		d.Referrals = slices.Clone(d.Referrals) // they may be the Plan's
		for i := range d.Referrals {
			d.Referrals[i].Reason = s.maskPeculiar(d.Referrals[i].Reason)
		}
	}
	d.Header = s.maskHeader(d.Header)
}

// maskHeader returns h where it tells nothing, else one without secrets in its place: the handler may need its own.
func (s *secrets) maskHeader(h textproto.MIMEHeader) textproto.MIMEHeader {
	out, told := make(textproto.MIMEHeader, len(h)), false
	for name, values := range h {
		key, masked := name, slices.Clone(values)
		for i, v := range masked {
			key, masked[i] = s.maskFieldValue(name, v)
		}
		told = told || key != name || !slices.Equal(masked, values)
		out[key] = append(out[key], masked...)
	}
	if !told {
		return h
	}
	return out
}
