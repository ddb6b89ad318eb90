package schemes_test

import (
	"context"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/schemes/dict/dicttest"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// A wrong password and then the right one, by Client.Logins: each scheme with logins asks by the same mechanism.
func TestPromise7SchemesAskForLogins(t *testing.T) {
	site := fstest.MapFS{"a.txt": {Data: []byte("hello\n")}}
	users := map[string]string{"joe": "sesame"}
	ftp := ftptest.NewServer(site, &ftptest.Options{NoAnonymous: true, Users: map[string]ftptest.User{"joe": {Password: "sesame"}}})
	news := newstest.NewServer(testdata.Site(), &newstest.Options{Users: users, Private: "lab.dots"})
	dict := dicttest.NewServer(testdata.Site(), &dicttest.Options{Users: users})
	web := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if user, password, _ := r.BasicAuth(); user != "joe" || password != "sesame" {
			w.Header().Set("WWW-Authenticate", `Basic realm="the cellar"`)
			w.WriteHeader(401)
		}
	}))
	defer ftp.Close()
	defer news.Close()
	defer dict.Close()
	defer web.Close()
	for _, tt := range []struct {
		uri, realm string
		first      bool // the client names a user before the server asks
	}{
		{uri: ftp.URL + "/a.txt", first: true},
		{uri: strings.Replace(news.URL, "nntp:", "news:", 1) + "/lab.dots"},
		{uri: dict.URL + "/d:ftp"},
		{uri: web.URL + "/", realm: "the cellar"},
	} {
		u := uri.MustParse(tt.uri)
		c := fetch.New(schemes.All(nil)...)
		var asked []fetch.LoginRequest
		c.Logins = func(_ context.Context, r fetch.LoginRequest) (fetch.Login, error) {
			asked = append(asked, r)
			if r.Attempt > 2 {
				return fetch.Login{}, nil
			}
			return fetch.Login{User: "joe", Password: []string{"guess", "sesame"}[r.Attempt-1], Set: true}, nil
		}
		for range 2 { // the second request knows the answer
			d, err := c.Get(t.Context(), u, nil)
			if err != nil {
				t.Errorf("%s: got %v after %d questions, want none", u, err, len(asked))
				break
			}
			if _, err := io.Copy(io.Discard, d.Body); err != nil {
				t.Errorf("%s: got %v, want none", u, err)
			}
			d.Body.Close()
		}
		c.Close()
		if len(asked) != 2 {
			t.Errorf("%s: got the questions %+v, want 2", u, asked)
			continue
		}
		for i, r := range asked {
			if r.Attempt != i+1 || r.Scheme != u.Scheme() || r.Host != "127.0.0.1" || r.Asked == (tt.first && i == 0) || r.Realm != tt.realm && r.Asked {
				t.Errorf("%s: got the question %+v, want attempt %d with the scheme, the host and the realm %q", u, r, i+1, tt.realm)
			}
		}
	}
}
