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

// A number is a flag value: a whole number within bounds.
type number struct {
	to          *int
	least, most int
}

// NumberVar adds a flag that is one.
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
		return fmt.Errorf("%q is no whole number", v)
	case (err != nil || i < n.least) && n.most == math.MaxInt:
		return fmt.Errorf("%q is no number from %d", v, n.least)
	case err != nil || i < n.least || i > n.most:
		return fmt.Errorf("%q is no number from %d to %d", v, n.least, n.most)
	}
	*n.to = i
	return nil
}

// Ports is a flag value: ports, once or more.
type Ports []int

func (p *Ports) String() string { return "" }
func (p *Ports) Type() string   { return "N" }
func (p *Ports) Set(v string) error {
	for s := range strings.SplitSeq(v, ",") {
		var port int
		if err := (&number{&port, 1, 65535}).Set(s); err != nil {
			return err
		}
		*p = append(*p, port)
	}
	return nil
}

// A choice is a flag value: one of a few words.
type choice struct {
	to *string
	of []string
}

// ChoiceVar adds a flag that is one; the first word is what it is by default.
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
func (c *choice) Set(v string) error {
	if !slices.Contains(c.of, v) {
		return fmt.Errorf("%q is none of %s", v, strings.Join(c.of, ", "))
	}
	*c.to = v
	return nil
}

// UnknownMode is the error of --mode.
func UnknownMode(word string) error {
	var known []string
	for _, m := range uri.Modes() {
		known = append(known, m.String())
	}
	return NotOneOf("--mode "+word, word, "no such specification", known)
}

// MaxParallel bounds what is done at a time.
const MaxParallel = 1000
