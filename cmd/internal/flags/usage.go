package flags

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	hinting "example.org/deref/cmd/internal/hint"
	"example.org/deref/fetch"
)

// A UsageError is what is wrong with a command line that makes no sense.
type UsageError struct{ Text, Hint string }

func (u *UsageError) Error() string { return u.Text }

func Usage(text string) error { return &UsageError{Text: text} }

// NotOneOf is the usage error of a word that is none of those that a flag or an argument may be.
func NotOneOf(what, word, wanted string, known []string) error {
	return &UsageError{what + ": " + wanted, Suggestion(word, known)}
}

// IsUsage reports whether a person said what makes no sense: on the command line, or in a setting.
func IsUsage(err error) bool {
	if _, ok := errors.AsType[*UsageError](err); ok {
		return true
	}
	_, ok := errors.AsType[*fetch.SettingError](err)
	return ok
}

// HintOf is what may help, "" if nothing is known.
func HintOf(err error) string {
	if u, ok := errors.AsType[*UsageError](err); ok {
		return u.Hint
	}
	if s, ok := errors.AsType[*fetch.SettingError](err); ok {
		return Suggestion(s.Wrong, s.Known)
	}
	if e, ok := errors.AsType[*fetch.Error](err); ok {
		return hinting.Text(e.Hint)
	}
	return ""
}

// ParseError is the usage error of what pflag refuses, in our words.
func ParseError(err error, flags *pflag.FlagSet) error {
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		u := &UsageError{Text: "--" + e.GetFlag().Name + ": " + plainCause(e.Unwrap())}
		if strings.Contains(e.GetValue(), "://") && e.GetFlag().Name == "max-time" { // wget's -m
			u.Hint = copying
		}
		return u
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return Usage(spoken(e.GetFlag()) + " wants a value: " + valueName(e.GetFlag()))
	}
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		u := &UsageError{"there is no flag --" + e.GetSpecifiedName(), equivalent(e.GetSpecifiedName())}
		if short := e.GetSpecifiedShortnames(); short != "" {
			u.Text = "there is no flag -" + e.GetSpecifiedName()
		} else if u.Hint != "" {
			return u
		} else if near := suggest(e.GetSpecifiedName(), longNames(flags)); near != "" {
			u.Hint = "--" + near + " is the nearest that is known"
		}
		return u
	}
	return Usage(err.Error())
}

// plainCause puts what strconv says in plain words.
func plainCause(err error) string {
	n, ok := errors.AsType[*strconv.NumError](err)
	switch {
	case !ok:
		return err.Error()
	case n.Func == "ParseBool":
		return fmt.Sprintf("%q is neither true nor false", n.Num)
	}
	return fmt.Sprintf("%q is no whole number", n.Num)
}

// spoken is a flag as people type it.
func spoken(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand + ", --" + f.Name
	}
	return "--" + f.Name
}

// valueName is what help calls the value of a flag.
func valueName(f *pflag.Flag) string {
	name, _ := pflag.UnquoteUsage(f)
	return name
}

func longNames(flags *pflag.FlagSet) (names []string) {
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// MaskLogin is a text that is no URI, without what may be a login: all that stands before an at sign.
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
