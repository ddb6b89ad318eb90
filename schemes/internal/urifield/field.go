// Package urifield holds helpers for the fields of parsed URIs: optional ones, and their text in the older modes. It also parses the numbers
// of settings.
package urifield

import (
	"net"
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// Opt returns a pointer to s if the component is present, and nil otherwise. JSON then distinguishes null from "".
func Opt[S ~string](s S, there bool) *S {
	if !there {
		return nil
	}
	return &s
}

// Map puts f(s) in place of each s. Scheme.Read uses it with Mode.Text: in the older modes each character stands for one byte.
func Map[S ~string](f func(string) string, list ...*S) {
	for _, s := range list {
		if s != nil {
			*s = S(f(string(*s)))
		}
	}
}

// MapOpt is Map for fields that may be absent. The values pointed to are replaced, not changed.
func MapOpt[S ~string](f func(string) string, list ...**S) {
	for _, p := range list {
		if *p != nil {
			s := S(f(string(**p)))
			*p = &s
		}
	}
}

// MapAll returns the images of a list; it is never nil, so that JSON shows [].
func MapAll[S ~string](f func(string) string, list []S) []S {
	out := make([]S, len(list))
	for i, s := range list {
		out[i] = S(f(string(s)))
	}
	return out
}

// Authority returns a host and port as a URI contains them. It leaves out the usual port.
func Authority(host string, port, usual int) string {
	return strings.TrimSuffix(net.JoinHostPort(host, strconv.Itoa(port)), ":"+strconv.Itoa(usual))
}

// Digits reads a decimal number of at most 9 digits.
func Digits(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || len(s) > 9 {
		return 0, false
	}
	return int(n), true
}

// Number returns the number of a setting, which must be from least to most. It returns usual if the setting is empty.
func Number(o *fetch.Options, key string, usual, least, most int) (int, error) {
	s := o.Get(key)
	if s == "" {
		return usual, nil
	}
	n, ok := Digits(s)
	if !ok || n < least || n > most {
		return 0, fetch.BadSetting(key, "%s must be a number from %d to %d", key, least, most)
	}
	return n, nil
}
