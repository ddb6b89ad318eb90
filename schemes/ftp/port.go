package ftp

import (
	"fmt"
	"strconv"
	"strings"
)

// parseEPSV reads "(|||port|)", with any delimiter (RFC 2428 §3). Protocol and address should be void and are not looked at.
func parseEPSV(text string) (int, error) {
	_, in, ok := strings.Cut(text, "(")
	if in, _, _ = strings.Cut(in, ")"); !ok || in == "" {
		return 0, fmt.Errorf("no port in brackets")
	}
	parts := strings.Split(in, in[:1])
	if len(parts) != 5 {
		return 0, fmt.Errorf("the brackets do not hold three fields")
	}
	return port(parts[3], 1, 65535)
}

// parsePASV reads six numbers (RFC 959 §4.1.2; RFC 1123 §4.1.2.6: look for digits, the brackets may be missing).
func parsePASV(text string) (int, error) {
	i := strings.IndexAny(text, "0123456789")
	if _, in, ok := strings.Cut(text, "("); ok {
		text = in
	} else if i >= 0 {
		text = text[i:]
	}
	parts := strings.SplitN(text, ",", 6)
	if len(parts) != 6 {
		return 0, fmt.Errorf("there are no six numbers")
	}
	last := strings.TrimLeft(parts[5], " ")
	if i := strings.IndexFunc(last, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		last = last[:i]
	}
	parts[5] = last
	var n [6]int
	for i, p := range parts {
		var err error
		if n[i], err = port(strings.TrimSpace(p), 0, 255); err != nil {
			return 0, err
		}
	}
	if n[4] == 0 && n[5] == 0 {
		return 0, fmt.Errorf("port 0 does not exist")
	}
	return n[4]<<8 | n[5], nil
}

// port reads a number of digits alone within bounds.
func port(s string, low, high int) (int, error) {
	if s == "" || len(s) > 5 || strings.Trim(s, "0123456789") != "" {
		return 0, fmt.Errorf("%q is no number of a port", clip(s))
	}
	n, err := strconv.Atoi(s)
	if err == nil && (n < low || n > high) {
		err = fmt.Errorf("%d is not from %d to %d", n, low, high)
	}
	return n, err
}
