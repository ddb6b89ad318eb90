package ftp

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

// maxBrackets is more than a port in brackets takes. Each bracket of a reply is searched only so far.
const maxBrackets = 100

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
		if in, _, _ = strings.Cut(in[:min(len(in), maxBrackets)], ")"); in == "" {
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
	for _, six := range regexp.MustCompile(`\d+( *, *\d+){5}`).FindAllString(text, -1) {
		if at, err = addressOf(strings.Split(six, ",")); err == nil {
			break
		}
	}
	return at, err
}

// addressOf returns the IPv4 address and port of six numbers.
func addressOf(six []string) (at netip.AddrPort, err error) {
	var b [6]byte
	for i, p := range six {
		n, err := port(strings.TrimSpace(p), 0, 255)
		if err != nil {
			return at, err
		}
		b[i] = byte(n)
	}
	if b[4] == 0 && b[5] == 0 {
		return at, errors.New("the port is 0")
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[:4])), uint16(b[4])<<8|uint16(b[5])), nil
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
