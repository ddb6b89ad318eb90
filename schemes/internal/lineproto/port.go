package lineproto

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// ParsePort parses the six numbers of an IPv4 address and a port, as in PORT and the reply to PASV (RFC 959 section 4.1.2).
func ParsePort(text string) (at netip.AddrPort, err error) {
	parts := strings.Split(text, ",")
	if len(parts) != 6 {
		return at, errors.New("no address of six numbers")
	}
	var b [6]byte
	for i, p := range parts {
		n, err := strconv.ParseUint(strings.TrimSpace(p), 10, 8)
		if err != nil {
			return at, fmt.Errorf("not a number from 0 to 255: %.20q", p)
		}
		b[i] = byte(n)
	}
	if b[4] == 0 && b[5] == 0 {
		return at, errors.New("the port is 0")
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[:4])), uint16(b[4])<<8|uint16(b[5])), nil
}
