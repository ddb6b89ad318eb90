package secrets

import (
	"net/textproto"
	"slices"
)

// MaskHeader returns h if it contains no secret, otherwise a masked copy: the handler may need its own.
func (s *Set) MaskHeader(h textproto.MIMEHeader) textproto.MIMEHeader {
	out, changed := make(textproto.MIMEHeader, len(h)), false
	for name, values := range h {
		key, masked := name, slices.Clone(values)
		for i, v := range masked {
			key, masked[i] = s.maskFieldValue(name, v)
		}
		changed = changed || key != name || !slices.Equal(masked, values)
		out[key] = append(out[key], masked...)
	}
	if !changed {
		return h
	}
	return out
}
