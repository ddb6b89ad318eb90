// Package flags has the values, sections and errors of command-line flags. It knows curl's and wget's flags, so that an error can name what
// deref has in their place.
package flags

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// nonEmpty is a flag value that must not be empty.
type nonEmpty string

// TextVar adds a flag whose value must not be empty: --cacert "$CA" with CA unset must not trust every authority. letter may be "".
func TextVar(fs *pflag.FlagSet, to *string, name, letter, usage string) {
	fs.VarP((*nonEmpty)(to), name, letter, usage)
}

func (g *nonEmpty) String() string { return string(*g) }
func (g *nonEmpty) Type() string   { return "TEXT" }
func (g *nonEmpty) Set(v string) error {
	if v == "" {
		return errEmpty
	}
	*g = nonEmpty(v)
	return nil
}

// List is a flag value: one string for each time that the flag is given. pflag's stringArray allocates a CSV writer with a buffer of 4 KiB for
// each such flag, only to format its empty default.
type List []string

func (t *List) String() string { return strings.Join(*t, " ") }
func (t *List) Type() string   { return "TEXT" }
func (t *List) Set(v string) error {
	*t = append(*t, v)
	return nil
}

// NonEmptyList is a List whose elements must not be empty.
type NonEmptyList []string

func (g *NonEmptyList) String() string { return strings.Join(*g, " ") }
func (g *NonEmptyList) Type() string   { return "TEXT" }
func (g *NonEmptyList) Set(v string) error {
	if v == "" {
		return errEmpty
	}
	*g = append(*g, v)
	return nil
}

// errEmpty is the error of an empty value.
var errEmpty = errors.New("the value is empty")

// Words is a flag value: words with commas between. The flag may be given more than once.
type Words []string

func (w *Words) String() string { return strings.Join(*w, ",") }
func (w *Words) Type() string   { return "strings" }
func (w *Words) Set(v string) error {
	if v != "" {
		*w = append(*w, strings.Split(v, ",")...)
	}
	return nil
}

// Seconds is a flag value: a number of seconds, which may have a fraction.
type Seconds time.Duration

func (s *Seconds) String() string {
	return strconv.FormatFloat(time.Duration(*s).Seconds(), 'g', -1, 64)
}
func (s *Seconds) Type() string { return "SECONDS" }
func (s *Seconds) Set(v string) error {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || !(n*float64(time.Second) >= 1) || n > math.MaxInt32 {
		return fmt.Errorf("%q is not a number of seconds", v)
	}
	*s = Seconds(n * float64(time.Second))
	return nil
}

// Pause is a flag value: Seconds, or 0, which is stored as a negative time to distinguish it from a flag that was not given.
type Pause time.Duration

func (p *Pause) String() string { return (*Seconds)(new(max(*p, 0))).String() }
func (p *Pause) Type() string   { return "SECONDS" }
func (p *Pause) Set(v string) error {
	if n, err := strconv.ParseFloat(v, 64); err == nil && n == 0 {
		*p = -1
		return nil
	}
	return (*Seconds)(p).Set(v)
}

// Size is a flag value: a number of bytes, with curl's suffixes k, M, G, T (powers of 1024).
type Size int64

func (s *Size) String() string { return strconv.FormatInt(int64(*s), 10) }
func (s *Size) Type() string   { return "SIZE" }
func (s *Size) Set(v string) error {
	shift := 0
	if i := strings.IndexAny(v, "kKmMgGtT"); i >= 0 && i == len(v)-1 {
		shift = 10 * (1 + strings.IndexByte("kmgt", v[i]|0x20))
		v = v[:i]
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64>>shift {
		return fmt.Errorf("%q is not a size", v)
	}
	*s = Size(n << shift)
	return nil
}

// ParsedVar adds a flag whose value is parsed. Each use of the flag adds one.
func ParsedVar[T any](fs *pflag.FlagSet, to *[]T, name, usage string, parse func(string) (T, error)) {
	fs.Func(name, usage, func(v string) error {
		x, err := parse(v)
		if err != nil && !IsUsage(err) {
			err = Usage(err.Error()) // a mistake of the command line, not of a file
		}
		*to = append(*to, x)
		return err
	})
}

// ParsedListVar adds a flag whose value is a list with commas between, of which each element is parsed.
func ParsedListVar[T any](fs *pflag.FlagSet, to *[]T, name, usage string, parse func(string) (T, error)) {
	fs.Func(name, usage, func(v string) error {
		for s := range strings.SplitSeq(v, ",") {
			x, err := parse(s)
			if err != nil {
				return err
			}
			*to = append(*to, x)
		}
		return nil
	})
}

// Duration is a flag value: a time with units (90s, 15m, 1h30m, 2d), or a number of seconds.
type Duration time.Duration

func (d *Duration) String() string { return time.Duration(*d).String() }
func (d *Duration) Type() string   { return "TIME" }
func (d *Duration) Set(v string) error {
	n, err := time.ParseDuration(v)
	if days, ok := strings.CutSuffix(v, "d"); ok {
		n, err = time.ParseDuration(days + "h")
		n = min(n, math.MaxInt64/24) * 24
	} else if err != nil {
		n, err = time.ParseDuration(v + "s")
	}
	if err != nil || n <= 0 || n > math.MaxInt32*time.Second {
		return fmt.Errorf("%q is not a time such as 90s, 15m, 1h or 2d", v)
	}
	*d = Duration(n)
	return nil
}
