package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/gateway"
	"example.org/deref/schemes"
)

// A login from a client of the proxy may contain line ends; the server is then not even contacted.
func TestPromise3LoginsThroughTheGateway(t *testing.T) {
	var requests atomic.Int32
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.Header().Set("WWW-Authenticate", `Digest realm="r", nonce="1"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer origin.Close()
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	g := gateway.New(c, nil)
	for user, want := range map[string]int32{"a\r\nX: 1": 0, "a\x00": 0, "a": 2} {
		requests.Store(0)
		r := httptest.NewRequest("GET", origin.URL+"/", nil)
		r.SetBasicAuth(user, "pw")
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		if got := requests.Load(); got != want {
			t.Errorf("%q: got %d requests, want %d; the gateway answers %d %s", user, got, want, w.Code,
				strings.TrimSpace(w.Body.String())[:min(80, w.Body.Len())])
		}
	}
}
