package flags

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/fetch"
)

// A UsageError is the error of a wrong command line.
type UsageError struct{ Text, Hint string }

func (u *UsageError) Error() string { return u.Text }

func Usage(text string) error { return &UsageError{Text: text} }

// NotOneOf returns the error for a word that is not among the known values of a flag or argument.
func NotOneOf(what, word, wanted string, known []string) error {
	return &UsageError{what + ": " + wanted, Suggestion(word, known)}
}

// IsUsage reports whether err is the error of a wrong command line or of a setting's value.
func IsUsage(err error) bool {
	if _, ok := errors.AsType[*UsageError](err); ok {
		return true
	}
	_, ok := errors.AsType[*fetch.SettingError](err)
	return ok
}

// HintOf returns the hint of an error, or "".
func HintOf(err error) string {
	if u, ok := errors.AsType[*UsageError](err); ok {
		return u.Hint
	}
	if s, ok := errors.AsType[*fetch.SettingError](err); ok && s.Known != nil {
		return Suggestion(s.Wrong, s.Known)
	}
	if e, ok := errors.AsType[*fetch.Error](err); ok {
		return Hint(e.Hint)
	}
	return ""
}

// ParseError turns an error of pflag into a UsageError.
func ParseError(err error, fs *pflag.FlagSet) error {
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		u := &UsageError{Text: "--" + e.GetFlag().Name + ": " + plainCause(e.Unwrap())}
		if cause, ok := errors.AsType[*UsageError](e.Unwrap()); ok {
			u.Hint = cause.Hint
		}
		switch name, v := e.GetFlag().Name, e.GetValue(); {
		case name == "max-time" && !strings.ContainsAny(v[:min(1, len(v))], "0123456789.-"): // wget's -m
			u.Hint = equivalent(fs, "m")
		case name == "user-agent", name == "referer", name == "request" && isTree(fs):
			u.Hint = equivalent(fs, e.GetFlag().Shorthand)
		case name == "progress" && strings.HasPrefix(v, "dot"):
			u.Hint = "--progress bar shows progress"
		}
		return u
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return Usage(spoken(e.GetFlag()) + " needs a value: " + valueName(e.GetFlag()))
	}
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		u := Unknown(e.GetSpecifiedName(), fs)
		if u.Hint == "" {
			u.Hint = "deref help flags lists the flags of requests, and deref help --FLAG explains one"
		}
		return u
	}
	return Usage(err.Error())
}

// plainCause returns the text of an error, in plain words if it is one of strconv.
func plainCause(err error) string {
	n, ok := errors.AsType[*strconv.NumError](err)
	switch {
	case !ok:
		return err.Error()
	case n.Func == "ParseBool":
		return fmt.Sprintf("%q is neither true nor false", n.Num)
	}
	return fmt.Sprintf("%q is not a whole number", n.Num)
}

// spoken returns the short and the long form of a flag.
func spoken(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand + ", --" + f.Name
	}
	return "--" + f.Name
}

// valueName returns the name that help uses for a flag's value.
func valueName(f *pflag.Flag) string {
	name, _ := pflag.UnquoteUsage(f)
	return name
}

// LongNames returns the names of all flags.
func LongNames(fs *pflag.FlagSet) (names []string) {
	fs.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// MaskLogin hides a possible login in a text that is not a URI: everything before an at sign.
func MaskLogin(s string) string {
	at := strings.LastIndexByte(s, '@')
	if at < 0 {
		return s
	}
	scheme := ""
	if i := strings.Index(s[:at], "://"); i >= 0 {
		scheme = s[:i+len("://")]
	}
	return scheme + "***" + s[at:]
}

// Unknown returns the error for a flag that does not exist, with what deref has in its place, or the most similar flag of fs.
func Unknown(name string, fs *pflag.FlagSet) *UsageError {
	dashes := "--"
	if len(name) == 1 {
		dashes = "-"
	}
	hint := equivalent(fs, name)
	if near := Suggestion(name, LongNames(fs)); hint == "" && near != "" {
		hint = "--" + near
	}
	return &UsageError{"unknown flag " + dashes + name, hint}
}
