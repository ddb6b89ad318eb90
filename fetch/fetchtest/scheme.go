package fetchtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"example.org/deref/fetch"
)

// checkScheme looks at what a scheme says of itself.
func checkScheme(s fetch.Scheme) error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if s.Name() == "" || s.Handler == nil {
		return errors.New("the scheme has no name or no handler")
	}
	for _, n := range s.Names {
		if n != strings.ToLower(n) {
			bad("the name %q is not in lower case", n)
		}
	}
	if _, ok := s.Handler.(fetch.Sender); ok != s.Does.Sends {
		bad("Does.Sends is %v, and being a Sender %v", s.Does.Sends, ok)
	}
	if _, ok := s.Handler.(fetch.Attacher); ok != s.Does.Session {
		bad("Does.Session is %v, and being an Attacher %v", s.Does.Session, ok)
	}
	if s.Does == (fetch.Does{}) {
		bad("it does nothing")
	}
	if s.Summary == "" || s.Spec == "" {
		bad("Summary or Spec is void")
	}
	for _, set := range s.Settings {
		if !strings.Contains(set.Key, ".") || set.Help == "" {
			bad("the setting %q is not of the form scheme.word, or has no help", set.Key)
		}
	}
	return errors.Join(errs...)
}

// checkRead calls Scheme.Read as `deref uri scheme` does.
func (x *subject) checkRead() error {
	if x.scheme.Read == nil {
		return nil
	}
	v, err := x.scheme.Read(x.uri, x.Options.Mode)
	if err != nil {
		return fmt.Errorf("Scheme.Read refuses what Plan takes: %w", err)
	}
	if _, err := json.Marshal(v); err != nil {
		return fmt.Errorf("what Scheme.Read gives is not JSON-able: %w", err)
	}
	return nil
}
