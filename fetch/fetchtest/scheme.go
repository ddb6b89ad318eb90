package fetchtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
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
			bad("the name %q is not lower case: change it", n)
		}
	}
	if s.Read == nil {
		bad("Read is nil: set it to a function that parses a URI, for programs that show the fields of a URI, and for Fuzz")
	}
	if s.Does == (fetch.Does{}) {
		bad("Does is empty: set what the scheme does")
	}
	if s.Does.Refers && s.MayReferTo == nil {
		bad("Does.Refers is true, but MayReferTo is nil, so that no referral is followed: set it to the names of schemes or to \"*\", or to an " +
			"empty list if that is intended")
	}
	if s.Summary == "" || s.Spec == "" {
		bad("Summary or Spec is empty: set both")
	}
	for _, set := range s.Settings {
		if !strings.Contains(set.Key, ".") || set.Help == "" {
			bad("the setting %q has no Help, or its Key is not of the form scheme.word: set them", set.Key)
		}
	}
	return errors.Join(errs...)
}

// checkClaims compares the fields of a scheme with what its cases do.
func checkClaims(s fetch.Scheme, all []*subject) error {
	errs := []error{checkOperations(s, all)}
	bad := func(x *subject, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: "+format, append([]any{x.name()}, args...)...))
	}
	for _, x := range all {
		p, err := x.planned()
		if err != nil {
			continue // checkPlan reports it
		}
		_, named := x.uri.Authority()
		refers := len(p.Refers) > 0 || x.base != nil && x.base.doc != nil && len(x.base.doc.Referrals)+len(x.base.doc.Via) > 0
		switch {
		case named && (p.Network == "tcp" || p.Network == "udp") && s.Rules.DefaultPort == 0:
			bad(x, "the plan contacts the server of the URI, but Rules.DefaultPort is 0: set it, because the Client refuses other ports")
		case !s.Rules.Hierarchical && x.isDirectory():
			bad(x, "the entries of the directory continue its path, but Rules.Hierarchical is false, so that a/../b is not the same as b: set it")
		case refers && !s.Does.Refers:
			bad(x, "Run or Plan returns a referral, but Does.Refers is false: set it, and set MayReferTo")
		case p.Network != "" && p.Run != nil && x.Err == "" && !refers && !s.Does.Retrieves && x.Options.Op == fetch.Retrieve:
			bad(x, "Run returns a document, but Does.Retrieves is false: set it")
		default:
			continue
		}
		break // the others would repeat it
	}
	return errors.Join(errs...)
}

// isDirectory reports whether the URI ends with a slash, and an entry of the listing continues its path by a name, as a relative reference. In a
// protocol whose listings have names from the root, the name of the directory precedes it.
func (x *subject) isDirectory() (is bool) {
	bare := x.uri.WithoutFragment().String()
	if x.Live || x.base == nil || x.base.doc == nil || x.base.doc.Entries == nil || !strings.HasSuffix(bare, "/") {
		return false
	}
	parent, directory := path.Split(strings.TrimSuffix(bare, "/"))
	if strings.Count(parent, "/") < 4 { // the first element may be a type, as in gopher
		return false
	}
	a := x.attempt()
	a.read = func(d *fetch.Document) ([]byte, error) {
		for e, err := range d.Entries {
			if err != nil {
				return nil, err
			}
			name, below := strings.CutPrefix(e.URI.String(), bare)
			is = is || below && !strings.Contains(string(x.base.body), directory+"/"+name)
		}
		return nil, nil
	}
	a.run()
	return is
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

// checkRead calls Scheme.Read as programs do that show the fields of a URI.
func (x *subject) checkRead() error {
	if x.scheme.Read == nil {
		return nil // checkScheme reports it
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
