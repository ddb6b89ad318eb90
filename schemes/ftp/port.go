package ftp

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// parseEPSV parses "(|||port|)", with any delimiter (RFC 2428 §3). Protocol and address should be empty and are ignored. The text before
// may contain brackets of its own.
func parseEPSV(text string) (n int, err error) {
	err = errors.New("no port in brackets")
	for {
		_, in, ok := strings.Cut(text, "(")
		if !ok {
			return 0, err
		}
		text = in
		if in, _, _ = strings.Cut(begin(in), ")"); in == "" {
			continue
		}
		parts := strings.Split(in, in[:1])
		if len(parts) != 5 {
			err = errors.New("not three fields in brackets")
			continue
		}
		return port(parts[3], 1, 65535)
	}
}

// parsePASV parses six numbers (RFC 959 §4.1.2). It searches the text for them, since the brackets may be missing
// (RFC 1123 §4.1.2.6), or there may be others.
func parsePASV(text string) (at netip.AddrPort, err error) {
	err = errors.New("no address of six numbers")
	for {
		i := strings.IndexAny(text, "0123456789")
		if i < 0 {
			return at, err
		}
		at, no := sixNumbers(begin(text[i:]))
		if no == nil {
			return at, nil
		}
		if strings.Count(begin(text[i:]), ",") >= 5 {
			err = no
		}
		text = strings.TrimLeft(text[i:], "0123456789")
	}
}

// begin returns as much of a text as an address and a port may take. Each place where one may begin is examined only so far.
func begin(text string) string { return text[:min(len(text), 100)] }

// sixNumbers parses "h1,h2,h3,h4,p1,p2" at the beginning of text: an IPv4 address and a port.
func sixNumbers(text string) (at netip.AddrPort, err error) {
	parts := strings.SplitN(text, ",", 6)
	if len(parts) != 6 {
		return at, errors.New("not six numbers")
	}
	last := strings.TrimLeft(parts[5], " ")
	parts[5] = last[:len(last)-len(strings.TrimLeft(last, "0123456789"))]
	var n [6]int
	for i, p := range parts {
		if n[i], err = port(strings.TrimSpace(p), 0, 255); err != nil {
			return at, err
		}
	}
	if n[4] == 0 && n[5] == 0 {
		return at, errors.New("the port is 0")
	}
	host := netip.AddrFrom4([4]byte{byte(n[0]), byte(n[1]), byte(n[2]), byte(n[3])})
	return netip.AddrPortFrom(host, uint16(n[4]<<8|n[5])), nil
}

// port parses a decimal number within bounds.
func port(s string, low, high int) (int, error) {
	if s == "" || len(s) > 5 || strings.Trim(s, "0123456789") != "" {
		return 0, fmt.Errorf("not a number: %q", clip(s))
	}
	n, err := strconv.Atoi(s)
	if err == nil && (n < low || n > high) {
		err = fmt.Errorf("%d is not from %d to %d", n, low, high)
	}
	return n, err
}
