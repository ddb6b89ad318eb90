package httpbridge_test

import (
	"errors"
	"net/http"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/httpbridge"
	"example.org/deref/schemes/gopher"
)

// The Policy of the Client is that of the http.Client, and its error is visible through net/http's.
func TestRulesOfThePolicy(t *testing.T) {
	c := fetch.New(gopher.Schemes()...)
	defer c.Close()
	rule, err := fetch.ParseRule("deny host=*.internal")
	if err != nil {
		t.Fatal(err)
	}
	c.Policy.Rules = []fetch.Rule{rule}
	transport := &http.Transport{}
	httpbridge.Register(transport, c)
	_, err = (&http.Client{Transport: transport}).Get("gopher://db.internal/")
	if !errors.Is(err, fetch.ErrDenied) {
		t.Errorf("got %v, want denied", err)
	}
}
