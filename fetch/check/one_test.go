package check_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"syscall"
	"testing"
	"testing/synctest"

	"example.org/deref/fetch/check"
	"example.org/deref/uri"
)

// A program without file descriptors has tested nothing.
func TestNoDescriptors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := client(t)
		c.Dialer = func(context.Context, string, string) (net.Conn, error) {
			return nil, os.NewSyscallError("socket", syscall.EMFILE)
		}
		if r := check.One(t.Context(), c, uri.MustParse("http://127.0.0.1/"), nil); r.Verdict != check.Unreachable {
			t.Errorf("got %s %v, want %s", r.Verdict, r.Err, check.Unreachable)
		}
	})
}

// One comes to the result of Run.
func TestOne(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/good", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<p id=here>")
	})
	mux.Handle("/moved", http.RedirectHandler("/good", http.StatusMovedPermanently))
	mux.HandleFunc("/busy", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	c := client(t)
	for link, want := range map[string]check.Verdict{
		web.URL + "/good": check.OK, web.URL + "/good#here": check.OK, web.URL + "/good#gone": check.Broken, web.URL + "/moved": check.Redirected,
		web.URL + "/missing": check.Broken, web.URL + "/busy": check.Unreachable, "mailto:b@site.example": check.NotCheckable,
	} {
		var all *check.Result
		if _, err := check.Run(t.Context(), c, []uri.URI{uri.MustParse("data:text/html," + url.PathEscape("<a href='"+link+"'>a</a>"))},
			&check.Options{Done: func(r *check.Result) { all = r }}); err != nil {
			t.Fatal(err)
		}
		one := check.One(t.Context(), c, uri.MustParse(link), nil)
		if one.Verdict != want || all == nil || one.Verdict != all.Verdict || one.Permanent != all.Permanent || one.Final.String() != all.Final.String() {
			t.Errorf("%s: got %s %v %v, and %+v from Run, want %s", link, one.Verdict, one.Final, one.Err, all, want)
		}
	}
}
