package ftp

import (
	"errors"
	"slices"
	"strings"

	"example.org/deref/uri"
)

// reading is what an ftp URI says (RFC 1738 §3.2.2): folders to change to one after the other, and a name in the last of them.
type reading struct {
	Scheme   string   `json:"scheme"`
	User     *string  `json:"user"`
	Password *string  `json:"password"`
	Host     string   `json:"host"`
	Port     int      `json:"port"`
	CWD      []string `json:"cwd"`
	Name     string   `json:"name"`
	Type     *string  `json:"type"`
	Sequence []string `json:"sequence"`
}

// typecode returns the type asked for, "" for none.
func (r *reading) typecode() string {
	if r.Type == nil {
		return ""
	}
	return *r.Type
}

// folder reports whether the URI itself says that a folder is meant.
func (r *reading) folder() bool { return r.Name == "" || r.typecode() == "d" }

// read takes the path apart before anything of it is decoded: an escaped slash is data (RFC 1738 §3.2.2).
func read(u uri.URI, m uri.Mode) (*reading, error) {
	r := &reading{Scheme: u.Scheme(), Host: u.Hostname(), Port: u.PortNumber(defaultPort(u.Scheme())), CWD: []string{}}
	if r.Host == "" {
		return nil, errors.New("an ftp URI names a host: ftp://host/path")
	}
	user, password, hasPassword := u.User()
	if _, named := u.Userinfo(); named {
		r.User = &user
	}
	if hasPassword {
		r.Password = &password
	}
	path := pathOf(u)
	path, r.Type = cutType(path, m)
	path = strings.TrimPrefix(path, "/")
	if n := strings.Count(path, "/"); n > 0 {
		r.CWD = make([]string, 0, n)
	}
	for {
		s, rest, more := strings.Cut(path, "/")
		if !more {
			r.Name = uri.Escaped(s).Decode()
			return r, nil
		}
		r.CWD = append(r.CWD, uri.Escaped(s).Decode())
		path = rest
	}
}

// pathOf returns the path with what looks like a query: "?" is an ordinary character here (RFC 1738 §3.2.2 has no search part).
func pathOf(u uri.URI) string {
	path := string(u.Path())
	if q, has := u.Query(); has {
		path += "?" + string(q)
	}
	return path
}

// cutType takes ";type=" off the very end; anything else after a semicolon belongs to the name.
func cutType(path string, m uri.Mode) (rest string, code *string) {
	i := strings.LastIndexByte(path, ';')
	if i < 0 || strings.Contains(path[i:], "/") || len(path) < i+6 || !strings.EqualFold(path[i:i+6], ";type=") {
		return path, nil
	}
	c := path[i+6:]
	switch {
	case len(c) == 1 && strings.Contains("aidAID", c):
		c = strings.ToLower(c)
	case m == uri.RFC1630Amended && oldTypecode(c): // RFC 1630 names the codes of RFC 959 §3.1.1
	default:
		return path, nil
	}
	return path[:i], &c
}

// oldTypecode reports whether c is one of RFC 1630: A or E with a format N, T or C; I; L with a byte size.
func oldTypecode(c string) bool {
	switch {
	case c == "I" || c == "A" || c == "E":
		return true
	case len(c) == 2 && strings.Contains("AE", c[:1]):
		return strings.Contains("NTC", c[1:])
	}
	return len(c) > 1 && c[0] == 'L' && strings.Trim(c[1:], "0123456789") == ""
}

// sequence is the command sequence after login as RFC 1738 §3.2.2 gives it.
func (r *reading) sequence() []string {
	var s []string
	for _, c := range r.CWD {
		s = append(s, "CWD "+c)
	}
	switch code := r.typecode(); {
	case r.folder() && r.Name == "":
		return append(s, "NLST")
	case r.folder():
		return append(s, "NLST "+r.Name)
	case code != "":
		s = append(s, "TYPE "+typeArgument(code))
	}
	return append(s, "RETR "+r.Name)
}

// typeArgument turns a typecode into the argument of TYPE (RFC 959 §5.3.1).
func typeArgument(code string) string {
	code = strings.ToUpper(code)
	if len(code) > 1 {
		return code[:1] + " " + code[1:]
	}
	return code
}

// rooted reports whether an argument, or none, says where it begins: then the path cannot be joined with slashes.
func (r *reading) rooted() bool {
	has := func(s string) bool { return s == "" || strings.Contains(s, "/") }
	return slices.ContainsFunc(r.CWD, has) || strings.Contains(r.Name, "/")
}

func defaultPort(scheme string) int {
	if scheme == "ftps" {
		return 990
	}
	return 21
}
