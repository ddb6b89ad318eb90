package fetchtest_test

import (
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/gopher"
	"example.org/deref/schemes/gopher/gophertest"
)

// A Live case connects to a real server.
func TestLive(t *testing.T) {
	t.Parallel()
	srv := gophertest.NewServer(fstest.MapFS{"about.txt": {Data: []byte("All about us.\n")}}, nil)
	defer srv.Close()
	fetchtest.Test(t, gopher.Schemes()[0],
		fetchtest.Case{URI: srv.URL + "/0/about.txt", Name: "text", Live: true, Body: "All about us.\r\n"},
		fetchtest.Case{URI: srv.URL + "/1/", Name: "menu", Live: true},
		fetchtest.Case{URI: srv.URL + "/0/none", Name: "missing", Live: true, Err: fetch.ErrNotFound},
	)
}
