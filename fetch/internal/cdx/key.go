package cdx

import (
	"cmp"
	"encoding/hex"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/uri"
)

// Key returns the sort key of a URI: a "Sort-friendly URI Reordering Transform" by the default rules of internetarchive/surt, which
// pywb and the wayback machines look up. The labels of the host come first, in reverse order; scheme, user, "www.", the default port, session
// IDs, a slash at the end and the order of arguments do not matter, nor does the case of letters. A URI without a host keeps its scheme. So
// URIs of different schemes share a key: a line's "url" tells them apart. An IRI, which older archives may contain, has the key of its URI.
func Key(target string) string {
	if u, err := uri.Parse(target); err == nil {
		target = u.ASCII().String()
	}
	target, _, _ = strings.Cut(target, "#")
	scheme, rest, _ := strings.Cut(target, ":")
	scheme = strings.ToLower(scheme)
	rest, query, _ := strings.Cut(rest, "?")
	host := ""
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		end := strings.IndexByte(after, '/')
		if end < 0 {
			end = len(after)
		}
		host, rest = after[:end], after[end:]
	}
	path := unescaped(rest)
	key := scheme + ":"
	if host != "" {
		key, path = HostKey(scheme, host), cleanPath(path)
	}
	path = withoutPathSession(strings.ToLower(escaped(path)))
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	if key += path; query != "" {
		if path == "" {
			key += "/"
		}
		if query = sortedArguments(strings.ToLower(withoutSession(escaped(unescaped(query))))); query != "" {
			key += "?" + query
		}
	}
	return key
}

// HostKey returns how the keys of an authority begin: its labels in reverse order, and its port unless it is the default one.
func HostKey(scheme, authority string) string {
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	port := ""
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host, port = host[:i], host[i+1:]
	}
	host = strings.Trim(strings.ReplaceAll(unescaped(strings.Trim(host, "[]")), "..", "."), ".")
	if ip, ok := oldAddress(host); ok {
		host = ip
	} else {
		host = unwww(strings.ToLower(escaped(strings.ToLower(host))))
	}
	labels := strings.Split(host, ".")
	slices.Reverse(labels)
	host = strings.Join(labels, ",")
	if port != "" && port != map[string]string{"http": "80", "https": "443"}[scheme] {
		host += ":" + strings.TrimLeft(port, "0")
	}
	return host + ")"
}

// oldAddress returns the address of a host in one of the forms of inet_aton(3): 1 to 4 numbers, octal if they begin with 0.
func oldAddress(host string) (string, bool) {
	parts := strings.Split(host, ".")
	if host == "" || len(parts) > 4 || strings.Trim(host, "0123456789.") != "" {
		return "", false
	}
	var sum uint64
	for i, p := range parts {
		base := 10
		if len(p) > 1 && p[0] == '0' {
			base = 8
		}
		n, err := strconv.ParseUint(p, base, 64)
		last := i == len(parts)-1
		switch {
		case err != nil, !last && n > 255, last && len(parts) > 1 && n >= 1<<(8*(5-len(parts))):
			return "", false
		case last:
			sum |= n & 0xffffffff // QUIRK: old archives have hosts beyond 32 bits; the rules cut them
		default:
			sum |= n << (8 * (3 - i))
		}
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}).String(), true
}

// unwww removes "www." and "www2.".
func unwww(host string) string {
	first, rest, ok := strings.Cut(host, ".")
	if n, is := strings.CutPrefix(first, "www"); ok && is && strings.Trim(n, "0123456789") == "" {
		return rest
	}
	return host
}

// unescaped decodes percent-encoding until nothing changes: old crawls have URIs that were encoded several times. It does so in one pass, since that
// of "%252525..." reads each byte once for every two.
func unescaped(s string) string {
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		out = append(out, s[i])
		for n := len(out) - 3; n >= 0 && out[n] == '%'; n = len(out) - 3 {
			c, err := hex.DecodeString(string(out[n+1:]))
			if err != nil {
				break
			}
			out = append(out[:n], c...)
		}
	}
	return string(out)
}

// escaped encodes all but printable ASCII, and "#" and "%".
func escaped(s string) string { return uri.EscapeBut(s, "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~") }

// cleanPath removes empty segments and dot segments.
func cleanPath(path string) string {
	var kept []string
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, s := range segments {
		switch {
		case s == ".", s == "" && i < len(segments)-1:
		case s == ".." && len(kept) > 0:
			kept = kept[:len(kept)-1]
		default:
			kept = append(kept, s)
		}
	}
	return "/" + strings.Join(kept, "/")
}

// sortedArguments sorts by name, and then by value.
func sortedArguments(query string) string {
	args := strings.Split(query, "&")
	slices.SortStableFunc(args, func(a, b string) int {
		nameA, valueA, hasA := strings.Cut(a, "=")
		nameB, valueB, hasB := strings.Cut(b, "=")
		if c := cmp.Or(strings.Compare(nameA, nameB), strings.Compare(valueA, valueB)); c != 0 || hasA == hasB {
			return c
		}
		return strings.Compare(a, b)
	})
	return strings.Join(args, "&")
}

// isAlnum reports whether s has n letters and digits.
func isAlnum(s string, n int, letters bool) bool {
	return len(s) == n && !strings.ContainsFunc(s, func(c rune) bool {
		digit := '0' <= c && c <= '9'
		return digit && letters || !digit && (c|0x20 < 'a' || c|0x20 > 'z')
	})
}

// withoutSession removes the arguments that are session IDs.
func withoutSession(query string) string {
	for _, name := range []string{"jsessionid=", "phpsessid=", "sid="} {
		query = cutArgument(query, name, func(value string) bool { return isAlnum(value, 32, false) })
	}
	query = cutArgument(query, "aspsessionid", func(value string) bool {
		return len(value) == 33 && value[8] == '=' && isAlnum(value[:8], 8, true) && isAlnum(value[9:], 24, true)
	})
	i := strings.LastIndex(strings.ToLower(query), "cfid=")
	if i < 0 {
		return query
	}
	id, rest, ok := strings.Cut(query[i+len("cfid="):], "&")
	token, rest, _ := strings.Cut(rest, "&")
	if name, value, _ := strings.Cut(token, "="); ok && id != "" && strings.EqualFold(name, "cftoken") && value != "" {
		return query[:i] + rest
	}
	return query
}

// cutArgument removes the last argument that ends in the given name and has such a value.
func cutArgument(query, name string, isValue func(string) bool) string {
	lower := strings.ToLower(query)
	stop := len(query) // of the value
	for end := stop; ; {
		i := strings.LastIndex(lower[:end], name)
		if i < 0 {
			return query
		}
		if n := strings.IndexByte(query[i:end], '&'); n >= 0 {
			stop = i + n
		}
		if isValue(query[i+len(name) : stop]) {
			return query[:i] + strings.TrimPrefix(query[stop:], "&")
		}
		end = i
	}
}

// withoutPathSession removes the session ID of ASP.NET from the path of a page: "/(S(4hqa...))/page.aspx".
func withoutPathSession(path string) string {
	i := strings.LastIndex(path, "/(")
	if i < 0 {
		return path
	}
	id, rest, ok := strings.Cut(path[i+2:], ")/")
	if !ok || !strings.Contains(rest, ".aspx") || strings.HasPrefix(rest, ".aspx") {
		return path
	}
	for len(id) > 25 { // "S(...)F(...)"
		if id[1] != '(' || len(id) < 27 || id[26] != ')' || !isAlnum(id[2:26], 24, false) {
			return path
		}
		if id = id[27:]; id == "" {
			return path[:i+1] + rest
		}
	}
	if isAlnum(id, 24, false) {
		return path[:i+1] + rest
	}
	return path
}
