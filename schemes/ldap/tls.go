package ldap

import (
	"context"

	"example.org/deref/fetch"
	ber "github.com/go-asn1-ber/asn1-ber"
	"github.com/go-ldap/ldap/v3"
)

// oidStartTLS is the extended operation of RFC 4511 section 4.14.
const oidStartTLS = "1.3.6.1.4.1.1466.20037"

// startTLS begins TLS as planned, before the library uses the connection. The library's own StartTLS would bypass ours.
func (s *session) startTLS(ctx context.Context) error {
	for _, step := range s.plan.Steps {
		if step.Verb != "StartTLS" {
			continue
		}
		if err := s.env.Announce(step); err != nil {
			return err
		}
		m := ber.NewSequence("LDAPMessage")
		m.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagInteger, 1, "messageID"))
		op := ber.Encode(ber.ClassApplication, ber.TypeConstructed, ldap.ApplicationExtendedRequest, nil, "ExtendedRequest")
		op.AppendChild(ber.NewString(ber.ClassContext, ber.TypePrimitive, 0, oidStartTLS, "requestName"))
		m.AppendChild(op)
		if _, err := s.guard.Write(m.Bytes()); err != nil {
			return err
		}
		answer, err := ber.ReadPacket(s.guard)
		if err != nil {
			return s.fail(err)
		}
		err = ldap.GetLDAPError(answer)
		switch le, ok := err.(*ldap.Error); {
		case err == nil && s.guard.in.Buffered() > 0:
			return fetch.Errorf(fetch.ErrProtocol, "the server sent more without TLS after it agreed to TLS")
		case err == nil:
			return s.env.StartTLS(ctx, s.guard.Conn)
		case step.If == "" || !ok || le.ResultCode >= ldap.ErrorNetwork:
			return &fetch.Error{Kind: fetch.ErrTLS, Text: "the server refused StartTLS: " + err.Error(), Err: err}
		}
	}
	return nil
}
