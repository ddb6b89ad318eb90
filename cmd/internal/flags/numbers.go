package flags

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/uri"
	"github.com/spf13/pflag"
)

// A number is a flag value: an integer within bounds.
type number struct {
	to          *int
	least, most int
}

// NumberVar adds a flag whose value is an integer from least to most.
func NumberVar(fs *pflag.FlagSet, to *int, name string, value, least, most int, usage string) {
	*to = value
	fs.Var(&number{to, least, most}, name, usage)
}

func (n *number) String() string {
	if n.to == nil {
		return "0"
	}
	return strconv.Itoa(*n.to)
}
func (n *number) Type() string { return "N" }
func (n *number) Set(v string) error {
	i, err := strconv.Atoi(v)
	switch {
	case err != nil && n.least == 0:
		return fmt.Errorf("%q is not a whole number", v)
	case (err != nil || i < n.least) && n.most == math.MaxInt:
		return fmt.Errorf("%q is not a number of at least %d", v, n.least)
	case err != nil || i < n.least || i > n.most:
		return fmt.Errorf("%q is not a number from %d to %d", v, n.least, n.most)
	}
	*n.to = i
	return nil
}

// ParsePort parses the number of a port.
func ParsePort(v string) (port int, err error) {
	err = (&number{&port, 1, 65535}).Set(v)
	return port, err
}

// A choice is a flag value: one of a few words.
type choice struct {
	to *string
	of []string
}

// ChoiceVar adds a flag whose value is one of the words. The first one is the default.
func ChoiceVar(fs *pflag.FlagSet, to *string, name, usage string, of ...string) {
	*to = of[0]
	fs.Var(&choice{to, of}, name, usage)
}

func (c *choice) String() string {
	if c.to == nil {
		return ""
	}
	return *c.to
}
func (c *choice) Type() string { return "WORD" }

// Choices returns the words that the flag can have, or nil if it can have others.
func Choices(f *pflag.Flag) []string {
	if c, ok := f.Value.(*choice); ok {
		return c.of
	}
	return nil
}

func (c *choice) Set(v string) error {
	if !slices.Contains(c.of, v) {
		return fmt.Errorf("%q is not one of %s", v, strings.Join(c.of, ", "))
	}
	*c.to = v
	return nil
}

// Modes returns the names of the specifications that --mode accepts. Package uri has others: for single schemes, and for what other libraries do.
func Modes() []string {
	return []string{"rfc3986", "rfc3986-scheme", "rfc2396", "rfc1738", "rfc1630", "rfc1630-strict"}
}

// ParseMode parses the value of --mode.
func ParseMode(word string) (uri.Mode, error) {
	m, known := uri.ParseMode(word)
	switch {
	case slices.Contains(Modes(), m.String()) && known:
		return m, nil
	case known:
		return m, &UsageError{"--mode " + word + ": must be one of " + strings.Join(Modes(), ", "), "programs in Go can use it: package uri"}
	}
	return m, NotOneOf("--mode "+word, word, "unknown specification", Modes())
}

// MaxParallel limits the number of concurrent requests that a flag can set.
const MaxParallel = 1000
