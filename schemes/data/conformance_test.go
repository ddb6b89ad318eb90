package data_test

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/data"
)

func TestConformance(t *testing.T) {
	fetchtest.Test(t, data.Scheme(),
		fetchtest.Case{URI: "data:,A%20brief%20note", Body: "A brief note", Type: "text/plain;charset=US-ASCII", End: fetch.EndDeclared},
		fetchtest.Case{URI: "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAADs=", Type: "image/gif"},
		fetchtest.Case{URI: "data:text/plain;base64,????", Err: fetch.ErrRefusedURL},
	)
}
