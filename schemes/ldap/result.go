package ldap

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
	ber "github.com/go-asn1-ber/asn1-ber"
	"github.com/go-ldap/ldap/v3"
)

// fail converts an error of the library: to the connection's error if there is one, or to the meaning of the server's result code.
func (s *session) fail(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	le, ok := errors.AsType[*ldap.Error](err)
	if ok && le.ResultCode < ldap.ErrorNetwork {
		return s.refusal(le)
	}
	if why := s.guard.failure(); why != nil {
		return why
	}
	return fetch.Errorf(fetch.ErrProtocol, "the response is not LDAP: %v", err)
}

// refusal returns the error of a result code other than success: RFC 4511 appendix A.
func (s *session) refusal(le *ldap.Error) error {
	if le.ResultCode == ldap.LDAPResultReferral {
		if list := s.referrals(le.Packet); len(list) > 0 {
			return list
		}
	}
	text := ldap.LDAPResultCodeMap[le.ResultCode]
	if message := strings.TrimSpace(le.Err.Error()); message != "" {
		text += ": " + message
	}
	return fetch.Errorf(outcomes.Fault(int(le.ResultCode)), "the server responded %d %s", le.ResultCode, text)
}

// referred is the result code referral, as an error.
type referred []fetch.Referral

func (r referred) Error() string { return "the server refers to " + r[0].URI.Redacted(nil) }

// Unwrap returns its kind if it cannot be followed: after entries, and as the response to a bind.
func (referred) Unwrap() error { return fetch.ErrRedirect }

// maxReferrals is the largest number of referrals taken from one response.
const maxReferrals = 8

// referrals returns the referrals of an LDAPResult (RFC 4511 section 4.1.10). Components that a URI omits are those of the request.
func (s *session) referrals(p *ber.Packet) (list referred) {
	if p == nil || len(p.Children) < 2 || len(p.Children[1].Children) < 4 {
		return nil
	}
	for _, c := range p.Children[1].Children[3].Children {
		u, err := uri.Parse(c.Data.String())
		if err != nil || u.Scheme() == "" {
			s.env.Deviates("RFC 4511 section 4.1.10", "a referral", "not a URI")
		}
		if err == nil && u.Scheme() != "" && len(list) < maxReferrals {
			list = append(list, fetch.Referral{URI: s.complete(u), Reason: "referral"})
		}
	}
	return list
}

// complete adds the parts of the request to a referral or reference that lacks them: RFC 4511 sections 4.1.10 and 4.5.3. Servers often send a
// name and a scope, and mean the same filter.
func (s *session) complete(u uri.URI) uri.URI {
	if u.Scheme() != "ldap" && u.Scheme() != "ldaps" {
		return u
	}
	path := string(u.Path())
	if path == "" || path == "/" {
		path = "/" + escape(string(s.request.DN))
	}
	own := s.request.parts
	if s.request.Scope != "base" {
		own[1] = s.request.Scope
	}
	if s.request.Filter != everything {
		own[2] = escape(string(s.request.Filter))
	}
	q, _ := u.Query()
	query := ""
	for i, part := range strings.SplitN(string(q)+"???", "?", 4) {
		query += "?" + cmp.Or(strings.TrimRight(part, "?"), own[i])
	}
	where, _ := u.Authority()
	full, err := uri.Parse(u.Scheme() + "://" + string(where) + path + strings.TrimRight(query, "?"))
	if err != nil {
		return u
	}
	return full
}

// escape escapes a part of an ldap URI.
func escape(s string) string { return string(uri.Segment.Escape(uri.RFC3986, s)) }
