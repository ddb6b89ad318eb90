package ftp

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"example.org/deref/schemes/internal/lineproto"
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
		if port, err := strconv.ParseUint(parts[3], 10, 16); err == nil && port > 0 {
			return int(port), nil
		}
		return 0, fmt.Errorf("not a port: %q", clip(parts[3]))
	}
}

// parsePASV parses six numbers (RFC 959 §4.1.2). It searches the text for them, since the brackets may be missing
// (RFC 1123 §4.1.2.6), or there may be others.
func parsePASV(text string) (at netip.AddrPort, err error) {
	err = errors.New("no address of six numbers")
	for _, six := range regexp.MustCompile(`\d+( *, *\d+){5}`).FindAllString(text, -1) {
		if at, err = lineproto.ParsePort(six); err == nil {
			break
		}
	}
	return at, err
}
