package request

import (
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/fetch/policy"
)

// exclude returns the schemes that curl's --proto excludes. In the list, = allows only a scheme, + (the default) also allows it, and - excludes it,
// each word in its turn; "all" is every scheme.
func exclude(known fetch.Registry, list string) []string {
	denied := map[string]bool{}
	set := func(name string, on bool) {
		for i := range known {
			for _, n := range known[i].Names {
				if name == "all" || strings.EqualFold(n, name) {
					denied[n] = on
				}
			}
		}
	}
	for word := range strings.SplitSeq(list, ",") {
		word = strings.TrimSpace(word)
		name := strings.TrimLeft(word, "=+-")
		signs := word[:len(word)-len(name)]
		if strings.Contains(signs, "=") {
			set("all", true)
		}
		set(name, strings.HasSuffix(signs, "-"))
	}
	maps.DeleteFunc(denied, func(_ string, on bool) bool { return !on })
	return slices.Sorted(maps.Keys(denied))
}

// parseResolve parses HOST:PORT:ADDRESS[,ADDRESS]...
func parseResolve(s string) (policy.Resolve, error) {
	wrong := &flags.UsageError{Text: s + ": must be HOST:PORT:ADDRESS", Hint: "for example --resolve www.example.org:443:192.0.2.1"}
	host, rest, ok := cutHost(strings.TrimPrefix(s, "+"))
	port, list, ok2 := strings.Cut(rest, ":")
	n, err := strconv.Atoi(port)
	if port == "*" {
		n, err = 0, nil
	}
	if !ok || !ok2 || host == "" || err != nil || n < 0 || n > 65535 {
		return policy.Resolve{}, wrong
	}
	r := policy.Resolve{Host: host, Port: n}
	for word := range strings.SplitSeq(list, ",") {
		a, err := netip.ParseAddr(strings.Trim(word, "[]"))
		if err != nil {
			return r, wrong
		}
		r.Addrs = append(r.Addrs, a)
	}
	return r, nil
}

// parseConnectTo parses HOST1:PORT1:HOST2:PORT2, in which each part may be empty.
func parseConnectTo(s string) (policy.ConnectTo, error) {
	wrong := &flags.UsageError{Text: s + ": must be HOST1:PORT1:HOST2:PORT2", Hint: "for example --connect-to www.example.org:443:127.0.0.1:8443"}
	host, rest, ok := cutHost(s)
	port, rest, ok2 := strings.Cut(rest, ":")
	host2, port2, ok3 := cutHost(rest)
	from, err := portOf(port)
	to, err2 := portOf(port2)
	if !ok || !ok2 || !ok3 || err != nil || err2 != nil {
		return policy.ConnectTo{}, wrong
	}
	return policy.ConnectTo{Host: host, Port: from, ToHost: host2, ToPort: to}, nil
}

// portOf parses a port. An empty one is 0.
func portOf(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(s, 10, 16)
	return int(n), err
}

// cutHost cuts s after a host, which may be an address in brackets.
func cutHost(s string) (host, rest string, ok bool) {
	if strings.HasPrefix(s, "[") {
		host, rest, ok = strings.Cut(s[1:], "]:")
		return host, rest, ok
	}
	return strings.Cut(s, ":")
}
