package fetchtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"example.org/deref/fetch"
)

// checkScheme checks the fields of a scheme.
func checkScheme(s fetch.Scheme) error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if s.Name() == "" || s.Plan == nil {
		return errors.New("the scheme has no Names or no Plan: set both")
	}
	for _, n := range s.Names {
		if n != strings.ToLower(n) {
			bad("the name %q is not lower case", n)
		}
	}
	if s.Does == (fetch.Does{}) {
		bad("Does is empty: set what the scheme does")
	}
	if s.Summary == "" || s.Spec == "" {
		bad("Summary or Spec is empty: set both")
	}
	for _, set := range s.Settings {
		if !strings.Contains(set.Key, ".") || set.Help == "" {
			bad("the setting %q has no Help, or its Key is not of the form scheme.word", set.Key)
		}
	}
	return errors.Join(errs...)
}

// checkOperations compares Scheme.Does with the functions that the plans of all cases have.
func checkOperations(s fetch.Scheme, all []*subject) error {
	var errs []error
	able := s
	able.Does.Sends, able.Does.Session = true, true // so that Plan is called
	for _, op := range []struct {
		fetch.Op
		claimed bool
		name    string
	}{{fetch.Send, s.Does.Sends, "Sends"}, {fetch.Attach, s.Does.Session, "Session"}} {
		has := false
		for _, x := range all {
			o := x.Options
			o.Op = op.Op
			_, err := fetch.New(able).Plan(x.uri, &o)
			has = has || err == nil
		}
		switch {
		case has && !op.claimed:
			errs = append(errs, fmt.Errorf("field Does.%s is false, but a plan for %q has its function: set Does.%[1]s, or leave the function nil", op.name, op.Op))
		case !has && op.claimed && len(all) > 0:
			errs = append(errs, fmt.Errorf("field Does.%s is true, but no case's plan for %q has its function: set the function, or add a case for it", op.name, op.Op))
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
		return fmt.Errorf("Scheme.Read returns an error, but Plan accepts the URI: %w", err)
	}
	if _, err := json.Marshal(v); err != nil {
		return fmt.Errorf("the value of Scheme.Read cannot be encoded as JSON: %w", err)
	}
	return nil
}
