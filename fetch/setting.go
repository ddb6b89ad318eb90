package fetch

import (
	"slices"
	"strings"
)

// A Setting is an option of one scheme, for example "ftp.method".
type Setting struct {
	Key    string                   // scheme.word
	Help   string                   // one line
	Values string                   // the words that are valid, separated by blanks; "" is any value
	Valid  func(value string) error // returns BadSetting for an invalid value, if Values cannot list the valid ones; nil accepts any
	Bound  bool                     // belongs to one server: dropped when a referral names another scheme, host or port
	Secret bool                     // a credential: Bound, and masked in texts
}

// A SettingError is the cause of an error about Options.Set: a key that no scheme declares, or an invalid value. With it a program can
// distinguish a typing mistake from an operation that a scheme does not have.
type SettingError struct {
	Key   string
	Wrong string   // the wrong key or value; "" if it must not be shown
	Known []string // the valid values, nil if they cannot be listed
}

func (e *SettingError) Error() string { return "wrong setting " + e.Key }

// BadSetting returns the ErrUnsupported of a handler for an invalid value of its setting key.
func BadSetting(key, format string, args ...any) *Error {
	e := Errorf(ErrUnsupported, format, args...)
	e.Err = &SettingError{Key: key}
	return e
}

// Check returns values in the spelling of Values, or an error for one that is not valid.
func (s Setting) Check(values []string) ([]string, error) {
	if s.Values == "" {
		return values, s.valid(values)
	}
	for i, v := range values {
		word := ""
		for w := range strings.FieldsSeq(s.Values) {
			if strings.EqualFold(w, v) {
				word = w
			}
		}
		switch {
		case word == v:
		case word == "":
			known := strings.Fields(s.Values)
			e := BadSetting(s.Key, "%s is one of %s, not %q", s.Key, strings.Join(known, ", "), v)
			e.Err = &SettingError{s.Key, v, known}
			return nil, e
		default:
			values = slices.Clone(values)
			values[i] = word
		}
	}
	return values, nil
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

// CheckSettings returns an error for a key that no scheme declares, and for an invalid value, whichever scheme the request is for. It writes
// the values in set as they are declared.
func (r Registry) CheckSettings(set map[string][]string) (err error) {
	first := ""
	for key, values := range set {
		checked, wrong := r.checkSetting(key, values)
		switch {
		case wrong == nil:
			set[key] = checked
		case err == nil || key < first: // so that the same mistake is always reported
			err, first = wrong, key
		}
	}
	return err
}

func (r Registry) checkSetting(key string, values []string) ([]string, error) {
	s, ok := r.setting(key)
	if !ok {
		e := BadSetting(key, "no scheme has the setting %q", key)
		e.Err = &SettingError{key, key, r.settings()}
		return nil, e
	}
	return s.Check(values)
}

// setting returns the declaration of a key, whichever scheme declares it.
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

// settings returns the keys of all schemes.
func (r Registry) settings() (keys []string) {
	for i := range r {
		for _, s := range r[i].Settings {
			keys = append(keys, s.Key)
		}
	}
	return keys
}
