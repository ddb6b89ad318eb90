package command

import (
	"io"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// TestLocateFollowsSoMany: --max-redirs bounds the referrals that locate follows in total, as for a retrieval. Here each name has two.
func TestLocateFollowsSoMany(t *testing.T) {
	plans := 0
	c := fetch.New(fetch.Scheme{Names: []string{"name"}, Does: fetch.Does{Refers: true}, Plan: func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
		plans++
		return &fetch.Plan{URI: u, Options: o, Shape: fetch.ShapeReferral, Refers: []fetch.Referral{
			{URI: uri.MustParse(u.String() + "a")}, {URI: uri.MustParse(u.String() + "b")}}}, nil
	}})
	c.Policy.FollowTo = []string{"name"}
	l := &locator{client: c, options: &fetch.Options{}, out: io.Discard, most: 10}
	if err := l.locate(t.Context(), uri.MustParse("name:x"), 1); fetch.KindOf(err) != fetch.ErrRedirect || plans != 11 {
		t.Errorf("got %v after %d names, want %s after 11", err, plans, fetch.ErrRedirect)
	}
}
