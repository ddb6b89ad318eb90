package fetch

import (
	"maps"
	"slices"
	"strings"
)

// A Setting is a wish that only one scheme understands, for example "ftp.method".
type Setting struct {
	Key    string                   // scheme.word
	Help   string                   // one line
	Values string                   // the words that it may be, with blanks between; "" anything
	Valid  func(value string) error // BadSetting for a value that means nothing, where Values does not tell; nil takes any
	Bound  bool                     // belongs to one server: dropped when a referral leads to another scheme, host or port
	Secret bool                     // a credential: Bound, and blanked in texts
}

// A SettingError is the cause of an error about Options.Set: a key that no scheme declares, or a value that means nothing. Whoever has
// the setting from a person tells a slip of the pen from what a scheme cannot do by it.
type SettingError struct {
	Key   string
	Wrong string   // the key or the value that is wrong; "" is not to be shown
	Known []string // what it may be instead, nil where that cannot be listed
}

func (e *SettingError) Error() string { return "wrong setting " + e.Key }

// BadSetting is the error of a handler for a value of its setting key that means nothing. It is of the kind ErrUnsupported.
func BadSetting(key, format string, args ...any) *Error {
	e := Errorf(ErrUnsupported, format, args...)
	e.Err = &SettingError{Key: key}
	return e
}

// Check returns values as Values spells them.
func (s Setting) Check(values []string) ([]string, error) {
	if s.Values == "" {
		return values, s.valid(values)
	}
	known := strings.Fields(s.Values)
	out := make([]string, len(values))
	for i, v := range values {
		for _, w := range known {
			if strings.EqualFold(w, v) {
				out[i] = w
			}
		}
		if out[i] == "" && v != "" {
			e := BadSetting(s.Key, "%s is one of %s, not %q", s.Key, strings.Join(known, ", "), v)
			e.Err = &SettingError{s.Key, v, known}
			return nil, e
		}
	}
	return out, nil
}

func (s Setting) valid(values []string) error {
	if s.Valid == nil {
		return nil
	}
	for _, v := range values {
		if err := s.Valid(v); err != nil {
			return err
		}
	}
	return nil
}

// CheckSettings refuses keys that no scheme declares, and values that mean nothing to theirs, whichever scheme is asked; it writes words in
// set as they are declared.
func (r Registry) CheckSettings(set map[string][]string) (err error) {
	for _, key := range slices.Sorted(maps.Keys(set)) { // of several mistakes always the same is told
		s, ok := r.setting(key)
		if !ok {
			e := BadSetting(key, "no scheme has the setting %q", key)
			e.Err = &SettingError{key, key, r.settings()}
			return e
		}
		if set[key], err = s.Check(set[key]); err != nil {
			return err
		}
	}
	return nil
}

// setting finds the declaration of a key, whichever scheme declares it.
func (r Registry) setting(key string) (Setting, bool) {
	for i := range r {
		for _, s := range r[i].Settings {
			if s.Key == key {
				return s, true
			}
		}
	}
	return Setting{}, false
}

// settings are the keys of all schemes.
func (r Registry) settings() (keys []string) {
	for i := range r {
		for _, s := range r[i].Settings {
			keys = append(keys, s.Key)
		}
	}
	return keys
}
