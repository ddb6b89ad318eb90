package main

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// given is a flag value that is not void: --cacert "$CA" with no such variable must not trust everybody.
type given string

func (g *given) String() string { return string(*g) }
func (g *given) Type() string   { return "TEXT" }
func (g *given) Set(v string) error {
	if v == "" {
		return errVoid
	}
	*g = given(v)
	return nil
}

// maybe is a flag value that may be empty, which is not the same as a flag that was not given.
type maybe struct {
	text string
	set  bool
}

func (m *maybe) String() string { return m.text }
func (m *maybe) Type() string   { return "TEXT" }
func (m *maybe) Set(v string) error {
	m.text, m.set = v, true
	return nil
}

// textList is a flag value: one text for each time that the flag is given. pflag's own stringArray makes a CSV writer with a buffer of
// 4 KiB for each such flag, only to write its empty default.
type textList []string

func (t *textList) String() string { return strings.Join(*t, " ") }
func (t *textList) Type() string   { return "TEXT" }
func (t *textList) Set(v string) error {
	*t = append(*t, v)
	return nil
}

// givenList is a textList of what is not void.
type givenList []string

func (g *givenList) String() string { return strings.Join(*g, " ") }
func (g *givenList) Type() string   { return "TEXT" }
func (g *givenList) Set(v string) error {
	if v == "" {
		return errVoid
	}
	*g = append(*g, v)
	return nil
}

// errVoid is what is wrong with the value of a flag that wants one.
var errVoid = errors.New("its value is void")

// wordList is a flag value: words with commas between, and the flag may be given again.
type wordList []string

func (w *wordList) String() string { return strings.Join(*w, ",") }
func (w *wordList) Type() string   { return "strings" }
func (w *wordList) Set(v string) error {
	if v != "" {
		*w = append(*w, strings.Split(v, ",")...)
	}
	return nil
}

// seconds is a flag value: a number of seconds, with a fraction if need be.
type seconds time.Duration

func (s *seconds) String() string {
	return strconv.FormatFloat(time.Duration(*s).Seconds(), 'g', -1, 64)
}
func (s *seconds) Type() string { return "SECONDS" }
func (s *seconds) Set(v string) error {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || !(n > 0) || n > math.MaxInt32 {
		return fmt.Errorf("%q is no number of seconds", v)
	}
	*s = seconds(n * float64(time.Second))
	return nil
}

// size is a flag value: octets, with curl's suffixes k, M, G, T (powers of 1024).
type size int64

func (s *size) String() string { return strconv.FormatInt(int64(*s), 10) }
func (s *size) Type() string   { return "SIZE" }
func (s *size) Set(v string) error {
	shift := 0
	if i := strings.IndexAny(v, "kKmMgGtT"); i >= 0 && i == len(v)-1 {
		shift = 10 * (1 + strings.IndexByte("kmgt", v[i]|0x20))
		v = v[:i]
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64>>shift {
		return fmt.Errorf("%q is no size", v)
	}
	*s = size(n << shift)
	return nil
}

// prefixes is a flag value: networks, or single addresses.
type prefixes []netip.Prefix

func (p *prefixes) String() string { return "" }
func (p *prefixes) Type() string   { return "CIDR" }
func (p *prefixes) Set(v string) error {
	for _, s := range strings.Split(v, ",") {
		if a, err := netip.ParseAddr(s); err == nil {
			*p = append(*p, netip.PrefixFrom(a, a.BitLen()))
			continue
		}
		n, err := netip.ParsePrefix(s)
		if err != nil {
			return fmt.Errorf("%q is no network", s)
		}
		*p = append(*p, n)
	}
	return nil
}
