package ftp

import (
	"regexp"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A target is a parsed ftp URI (RFC 1738 §3.2.2): directories to change to one after the other, and a name in the last of them.
type target struct {
	Scheme   string   `json:"scheme"`
	User     *string  `json:"user"`
	Password *string  `json:"password"`
	Host     string   `json:"host"`
	Port     int      `json:"port"`
	CWD      []string `json:"cwd"`
	Name     string   `json:"name"`
	Type     *string  `json:"type"`
	Sequence []string `json:"sequence"`

	path string // escaped, without ";type="
}

// typecode returns the typecode. It is "" if there is none.
func (t *target) typecode() string {
	if t.Type == nil {
		return ""
	}
	return *t.Type
}

// isDirectory reports whether the URI itself names a directory.
func (t *target) isDirectory() bool { return t.Name == "" || t.typecode() == "d" }

// parseTarget splits the path before it decodes anything: an escaped slash is data (RFC 1738 §3.2.2).
func parseTarget(u uri.URI, m uri.Mode) (*target, error) {
	t := &target{Scheme: u.Scheme(), Host: u.Hostname(), Port: u.PortNumber(defaultPort(u.Scheme()))}
	if t.Host == "" {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "an ftp URI needs a host: ftp://host/path")
	}
	user, password, hasPassword := u.User()
	if _, named := u.Userinfo(); named {
		t.User = &user
	}
	if hasPassword {
		t.Password = &password
	}
	t.path, t.Type = cutType(pathOf(u), m)
	names := strings.Split(strings.TrimPrefix(t.path, "/"), "/")
	for i, s := range names {
		names[i] = uri.Escaped(s).Decode()
	}
	last := len(names) - 1
	t.CWD, t.Name = names[:last:last], names[last]
	return t, nil
}

// pathOf returns the path including what looks like a query: "?" is an ordinary character here (RFC 1738 §3.2.2 has no search part).
func pathOf(u uri.URI) string {
	path := string(u.Path())
	if q, has := u.Query(); has {
		path += "?" + string(q)
	}
	return path
}

// cutType cuts ";type=" off the very end. Anything else after a semicolon belongs to the name. RFC 1630 uses the codes of RFC 959 §3.1.1: A or E with
// a format N, T or C; I; L with a byte size.
func cutType(path string, m uri.Mode) (rest string, code *string) {
	if !strings.Contains(path, ";") {
		return path, nil
	}
	at := regexp.MustCompile(`(?i:;type=)([aidAID]|[AE][NTC]|E|L\d+)$`).FindStringSubmatchIndex(path)
	if at == nil {
		return path, nil
	}
	c := path[at[2]:]
	switch {
	case strings.Contains("aidAID", c):
		c = strings.ToLower(c)
	case m != uri.RFC1630Amended:
		return path, nil
	}
	return path[:at[0]], &c
}

// sequence returns the command sequence after login of RFC 1738 §3.2.2.
func (t *target) sequence() []string {
	var s []string
	for _, c := range t.CWD {
		s = append(s, "CWD "+c)
	}
	switch code := t.typecode(); {
	case t.Name == "":
		return append(s, "NLST")
	case t.isDirectory():
		return append(s, "NLST "+t.Name)
	case code != "":
		s = append(s, "TYPE "+typeArgument(code))
	}
	return append(s, "RETR "+t.Name)
}

// typeArgument returns the argument of TYPE for a typecode (RFC 959 §5.3.1).
func typeArgument(code string) string {
	code = strings.ToUpper(code)
	if len(code) > 1 {
		return code[:1] + " " + code[1:]
	}
	return code
}

// joined returns the path with slashes, as UNIX servers read it. It is sent only if ftp.method requires that.
func (t *target) joined() string {
	return strings.Join(append(t.CWD[:len(t.CWD):len(t.CWD)], t.Name), "/")
}

// joinable reports whether joined names the same file: no segment is empty or holds a slash.
func (t *target) joinable() bool {
	special := func(s string) bool { return s == "" || strings.Contains(s, "/") }
	return !slices.ContainsFunc(t.CWD, special) && !strings.Contains(t.Name, "/")
}

// directoryURI returns the URI that names in the directory are relative to: u without ";type=", and with a slash at its end.
func (t *target) directoryURI(u uri.URI) uri.URI {
	path := t.path
	if !strings.HasSuffix(path, "/") {
		path += "/"
	}
	authority, _ := u.Authority()
	out, err := uri.Parse(u.Scheme() + "://" + string(authority) + strings.ReplaceAll(path, "?", "%3F"))
	if err != nil {
		return u
	}
	return out
}

func defaultPort(scheme string) int {
	if scheme == "ftps" {
		return 990
	}
	return 21
}
