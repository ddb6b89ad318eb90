package ftp

import (
	"strings"

	"example.org/deref/fetch"
)

// settings declares what ftp reads in Options.Set.
func settings() []fetch.Setting {
	return []fetch.Setting{
		{Key: "ftp.method", Help: "multicwd: CWD for each segment; nocwd: the path in one command; auto: that first, then multicwd"},
		{Key: "ftp.type", Help: "a, i, or auto: by the name's suffix; ;type= in the URI wins"},
		{Key: "ftp.active", Help: "no; fallback: the server connects to us where EPSV and PASV are refused; yes: that first"},
		{Key: "ftp.epsv", Help: "no: PASV without trying EPSV"},
		{Key: "ftp.pipeline", Help: "no: each command waits for the reply to the one before"},
		{Key: "ftp.ssl", Help: "never, try, require: AUTH TLS; without it, try where a password is to be sent, else never"},
		{Key: "ftp.account", Help: "what ACCT names where the server asks for an account", Secret: true},
		{Key: "ftp.from", Help: "the user's address, sent as password of anonymous users"},
	}
}

// wishes are the settings of one request, read and checked.
type wishes struct {
	method, kind, active, ssl string
	noEPSV, serial            bool
	account, from             string
}

func readWishes(o *fetch.Options) (*wishes, error) {
	w := &wishes{account: o.Get("ftp.account"), from: o.Get("ftp.from")}
	var epsv, pipeline string
	for _, s := range []struct {
		key, values string
		to          *string
	}{
		{"ftp.method", "multicwd nocwd auto", &w.method},
		{"ftp.type", "a i auto", &w.kind},
		{"ftp.active", "no fallback yes", &w.active},
		{"ftp.ssl", "never try require", &w.ssl},
		{"ftp.epsv", "yes no", &epsv},
		{"ftp.pipeline", "yes no", &pipeline},
	} {
		v, err := oneOf(s.key, o.Get(s.key), s.values)
		if err != nil {
			return nil, err
		}
		*s.to = v
	}
	w.noEPSV, w.serial = epsv == "no", pipeline == "no"
	return w, nil
}

// oneOf returns value if it is void or among the words of values.
func oneOf(key, value, values string) (string, error) {
	if value == "" {
		return "", nil
	}
	for w := range strings.FieldsSeq(values) {
		if strings.EqualFold(w, value) {
			return w, nil
		}
	}
	return "", fetch.Errorf(fetch.ErrUnsupported, "%s is one of %s, not %q", key, strings.ReplaceAll(values, " ", ", "), value)
}
