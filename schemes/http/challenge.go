package http

import "strings"

// A challenge is one authentication scheme that a server offers. RFC 9110 section 11.3.
type challenge struct {
	scheme string            // lower case
	params map[string]string // names in lower case, values unquoted
}

// maxChallenges bounds the challenges of one response.
const maxChallenges = 16

// challenges parses lists of challenges. Commas separate both challenges and parameters: a token without "=" after it begins a new
// challenge. A syntax error ends the list.
func challenges(lines []string) []challenge {
	var list []challenge
	for _, s := range lines {
		for s = skipSeparators(s); s != ""; s = skipSeparators(s) {
			word, rest := cutToken(s)
			if word == "" || len(list) == maxChallenges {
				return list
			}
			name, value, after, isParam := cutParam(s)
			switch {
			case isParam && len(list) > 0:
				last := list[len(list)-1].params
				if _, twice := last[name]; !twice {
					last[name] = value
				}
				s = after
			case isParam:
				return list
			default:
				list = append(list, challenge{strings.ToLower(word), map[string]string{}})
				s = skipToken68(rest)
			}
		}
	}
	return list
}

func skipSeparators(s string) string { return strings.TrimLeft(s, " \t,") }

func cutToken(s string) (token, rest string) {
	i := 0
	for i < len(s) && isToken(s[i:i+1]) {
		i++
	}
	return s[:i], s[i:]
}

// cutParam cuts token BWS "=" BWS ( token / quoted-string ) off s.
func cutParam(s string) (name, value, rest string, ok bool) {
	name, rest = cutToken(s)
	rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " \t"), "=")
	if name == "" || !ok || strings.HasPrefix(rest, "=") {
		return "", "", s, false
	}
	rest = strings.TrimLeft(rest, " \t")
	if strings.HasPrefix(rest, `"`) {
		value, rest, ok = cutQuoted(rest)
	} else {
		value, rest = cutToken(rest)
	}
	return strings.ToLower(name), value, rest, ok
}

// cutQuoted cuts a quoted-string off s. RFC 9110 section 5.6.4.
func cutQuoted(s string) (value, rest string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), s[i+1:], true
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", s, false
}

// quoted is the inverse of cutQuoted.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// skipToken68 skips the single word that some schemes have instead of parameters (NTLM, Negotiate).
func skipToken68(s string) string {
	t := strings.TrimLeft(s, " \t")
	i := 0
	for i < len(t) && t[i] != ',' && t[i] != ' ' && t[i] != '"' {
		i++
	}
	if _, _, _, isParam := cutParam(t); isParam || i == 0 {
		return s
	}
	return t[i:]
}
