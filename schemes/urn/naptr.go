package urn

import (
	"cmp"
	"context"
	"encoding/binary"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

const ifRule = "a rule leads to other rules"

// discovery returns the plan of the Dynamic Delegation Discovery System: RFC 3402 section 3, with the database of RFC 3403 and the first key
// of RFC 3404 section 4.2.
func (t *tables) discovery(r *request, server string) *fetch.Plan {
	return &fetch.Plan{
		Network: "udp", Addr: server, TLS: fetch.NoTLS, Shape: fetch.ShapeReferral,
		Run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
			return r.discover(ctx, p, env, t.wait)
		},
		Steps: []fetch.Step{
			{Verb: "NAPTR", Args: []string{*r.NID + ".urn.arpa"}},
			{Verb: "NAPTR", Args: []string{"<key>"}, If: ifRule, Repeat: "until a rule is the last one"},
		},
	}
}

// A rule is a NAPTR record: RFC 3403 section 4.1.
type rule struct {
	order, preference               uint16
	flags, services, regexp, domain string
}

// A search applies the rules of the DNS to one name.
type search struct {
	*request
	*resolver
	ctx  context.Context
	plan *fetch.Plan
	seen map[string]bool
}

// discover looks a name up in the DNS.
func (r *request) discover(ctx context.Context, p *fetch.Plan, env *fetch.Env, wait time.Duration) (*fetch.Document, error) {
	dns, err := newResolver(ctx, env, p.Addr, wait)
	if err != nil {
		return nil, err
	}
	s := &search{request: r, resolver: dns, ctx: ctx, plan: p, seen: map[string]bool{}}
	first := p.When("")[0]
	list, err := s.follow(first.Args[0], first)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fetch.Errorf(fetch.ErrNotFound, "the DNS has no rule for %s", r.space())
	}
	d := fetch.NewDocument(nil)
	d.Size, d.Referrals = 0, list
	return d, nil
}

// follow applies the rules at a key. Of the applicable rules, it uses those of the lowest order, in the order of their preference.
func (s *search) follow(key string, step fetch.Step) (list []fetch.Referral, err error) {
	if key = strings.ToLower(strings.TrimSuffix(key, ".")); s.seen[key] {
		return nil, fetch.Errorf(fetch.ErrRedirect, "the rules in the DNS form a circle, back to %.80s", key)
	}
	s.seen[key] = true
	step.Args = []string{key}
	if err := s.env.Announce(step); err != nil {
		return nil, err
	}
	records, err := s.records(s.ctx, key)
	if err != nil {
		return nil, err
	}
	rules := rulesOf(records)
	for i, r := range rules {
		if len(list) > 0 && r.order != rules[i-1].order {
			break
		}
		more, err := s.apply(r)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// apply returns the referrals of one rule. It returns none if the rule does not apply, or names a host that resolves names by a protocol of its own:
// those of RFC 2168 and RFC 2169 are no longer in use.
func (s *search) apply(r rule) ([]fetch.Referral, error) {
	result := strings.TrimSuffix(r.domain, ".")
	if r.regexp != "" {
		var ok bool
		if result, ok = substitute(r.regexp, s.name); !ok {
			return nil, nil
		}
	}
	switch {
	case strings.EqualFold(r.flags, "u") && r.retrieves(): // RFC 3404 section 4.3: the result is a URI
		if u, err := uri.Parse(result); err == nil && u.IsAbs() {
			return []fetch.Referral{{URI: u, Reason: "NAPTR of " + s.space()}}, nil
		}
	case r.flags == "" && isDomain(result):
		return s.follow(result, s.plan.When(ifRule)[0])
	}
	return nil, nil
}

// retrieves reports whether the service of a rule returns the object or its location, not a description of it: "http+I2L+I2C" (RFC 3404 section
// 4.4). RFC 2168 writes "N2L" for I2L. A rule without services may be about anything.
func (r rule) retrieves() bool {
	for word := range strings.SplitSeq(strings.ToUpper(r.services), "+") {
		switch strings.Replace(word, "N2", "I2", 1) {
		case "I2L", "I2LS", "I2R", "I2RS":
			return true
		}
	}
	return r.services == ""
}

// rulesOf parses NAPTR records, and sorts them.
func rulesOf(records [][]byte) (list []rule) {
	for _, b := range records {
		if r, ok := ruleOf(b); ok {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b rule) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.preference, b.preference))
	})
	return list
}

// ruleOf parses the data of a record: two numbers, three texts, and an uncompressed name.
func ruleOf(b []byte) (r rule, ok bool) {
	if len(b) < 4 {
		return r, false
	}
	r.order, r.preference, b = binary.BigEndian.Uint16(b), binary.BigEndian.Uint16(b[2:]), b[4:]
	for _, to := range [...]*string{&r.flags, &r.services, &r.regexp} {
		if len(b) == 0 || len(b) <= int(b[0]) {
			return r, false
		}
		n := 1 + int(b[0]) // a byte would overflow
		*to, b = string(b[1:n]), b[n:]
	}
	for len(b) > 0 && b[0] != 0 {
		n := int(b[0])
		if n > 63 || len(b) <= n || len(r.domain)+n > domainOctets {
			return r, false
		}
		r.domain, b = r.domain+string(b[1:1+n])+".", b[1+n:]
	}
	return r, len(b) == 1
}

// substitute applies a substitution expression, "!ere!replacement!flags" (RFC 3402 section 3.2), to the name as a whole.
func substitute(expr, name string) (string, bool) {
	ere, repl, flags, ok := cutExpression(expr)
	mode := syntax.POSIX
	switch {
	case !ok || flags != "" && flags != "i" && flags != "I":
		return "", false
	case flags != "":
		mode |= syntax.FoldCase
	}
	tree, err := syntax.Parse(ere, mode)
	if err != nil {
		return "", false
	}
	re, err := regexp.Compile(tree.String())
	if err != nil {
		return "", false
	}
	re.Longest()
	at := re.FindStringSubmatchIndex(name)
	if at == nil {
		return "", false
	}
	var b strings.Builder
	b.WriteString(name[:at[0]])
	for i := 0; i < len(repl); i++ {
		c := repl[i]
		if c != '\\' || i+1 == len(repl) {
			b.WriteByte(c)
			continue
		}
		i++
		if n := int(repl[i]) - '0'; n < 1 || n > 9 {
			b.WriteByte(repl[i])
		} else if 2*n+1 >= len(at) {
			return "", false
		} else if at[2*n] >= 0 {
			b.WriteString(name[at[2*n]:at[2*n+1]])
		}
	}
	b.WriteString(name[at[1]:])
	return b.String(), true
}

// cutExpression splits at the delimiter, which is any character except digits, the backslash and the flag. An escaped delimiter is literal.
func cutExpression(expr string) (ere, repl, flags string, ok bool) {
	if expr == "" || strings.IndexByte(`123456789\iI`, expr[0]) >= 0 {
		return "", "", "", false
	}
	var fields [2]strings.Builder
	n, rest := 0, expr[1:]
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == expr[0]:
			if n++; n == 2 {
				return fields[0].String(), fields[1].String(), rest[i+1:], true
			}
		case c == '\\' && i+1 < len(rest) && rest[i+1] == expr[0]:
			i++
			fields[n].WriteByte(rest[i])
		case c == '\\' && i+1 < len(rest):
			fields[n].WriteString(rest[i : i+2])
			i++
		default:
			fields[n].WriteByte(c)
		}
	}
	return "", "", "", false
}

// isDomain reports whether s is a name in the DNS. No other result of a rule is looked up.
func isDomain(s string) bool {
	return s != "" && len(s) < domainOctets && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789-_.") == "" && s[0] != '-'
}
