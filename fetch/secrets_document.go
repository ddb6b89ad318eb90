package fetch

import (
	"net/textproto"
	"slices"
	"strings"
)

// maskDocument blanks what a Document tells of the server's words: all but its octets, and where it leads.
func (e *Env) maskDocument(d *Document) {
	s := &e.secrets
	s.mu.RLock()
	none := len(s.list) == 0 && len(s.fields) == 0
	s.mu.RUnlock()
	if none {
		return
	}
	for _, text := range [...]*string{&d.Type, &d.TypeReason, &d.Reason, &d.Protocol, &d.Validator.Tag, &d.Validator.Modified} {
		*text = s.maskString(*text)
	}
	if slices.ContainsFunc(d.Referrals, func(r Referral) bool { return s.maskString(r.Reason) != r.Reason }) {
		d.Referrals = slices.Clone(d.Referrals) // they may be the Plan's
		for i := range d.Referrals {
			d.Referrals[i].Reason = s.maskString(d.Referrals[i].Reason)
		}
	}
	d.Header = s.maskHeader(d.Header)
}

// maskHeader returns h where it tells nothing, else one without secrets in its place: the handler may need its own.
func (s *secrets) maskHeader(h textproto.MIMEHeader) textproto.MIMEHeader {
	out, told := make(textproto.MIMEHeader, len(h)), false
	for name, values := range h {
		masked := s.maskAll(values)
		if slices.Contains(s.fields, strings.ToLower(name)) {
			masked = slices.Clone(masked)
			for i, v := range masked {
				masked[i] = string(maskField([]byte(v)))
			}
		}
		key := s.maskString(name)
		told = told || key != name || !slices.Equal(masked, values)
		out[key] = append(out[key], masked...)
	}
	if !told {
		return h
	}
	return out
}
