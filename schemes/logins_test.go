package schemes_test

import (
	"bufio"
	"context"
	"crypto/md5"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes"
	"example.org/deref/schemes/dict/dicttest"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/ldap/ldaptest"
	"example.org/deref/schemes/mail/mailtest"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// asksTwice dereferences u twice. Client.Logins answers with a wrong password, then with the right one, and is not called for the second
// request, which knows the answer. It returns the questions.
func asksTwice(t *testing.T, c *fetch.Client, u string, user, password string) (asked []fetch.LoginRequest) {
	t.Helper()
	c.Logins = func(_ context.Context, r fetch.LoginRequest) (fetch.Login, error) {
		asked = append(asked, r)
		if r.Attempt > 2 {
			return fetch.Login{}, nil
		}
		return fetch.Login{User: user, Password: []string{"guess", password}[r.Attempt-1], Set: true}, nil
	}
	defer c.Close()
	for range 2 {
		d, err := c.Get(t.Context(), uri.MustParse(u), nil)
		if err != nil {
			t.Errorf("%s: got %v after %d questions, want none", u, err, len(asked))
			break
		}
		if _, err := io.Copy(io.Discard, d.Body); err != nil {
			t.Errorf("%s: got %v, want none", u, err)
		}
		d.Body.Close()
	}
	return asked
}

// A wrong password and then the right one, by Client.Logins: each scheme with logins asks by the same mechanism.
func TestPromise7SchemesAskForLogins(t *testing.T) {
	site := fstest.MapFS{"a.txt": {Data: []byte("hello\n")}}
	users := map[string]string{"joe": "sesame"}
	ftp := ftptest.NewServer(site, &ftptest.Options{NoAnonymous: true, Users: map[string]ftptest.User{"joe": {Password: "sesame"}}})
	news := newstest.NewServer(testdata.Site(), &newstest.Options{Users: users, Private: "lab.dots"})
	dict := dicttest.NewServer(testdata.Site(), &dicttest.Options{Users: users})
	ldap := ldaptest.NewServer(site, &ldaptest.Options{Users: map[string]string{"cn=joe,o=site": "sesame"}})
	imap, err := mailtest.ListenIMAP(testdata.Site(), nil)
	if err != nil {
		t.Fatal(err)
	}
	basic := httptest.NewServer(locked(`Basic realm="the cellar"`))
	digest := httptest.NewServer(locked(`Digest realm="the cellar", nonce="n", qop="auth"`))
	for _, end := range []func(){ftp.Close, news.Close, dict.Close, ldap.Close, imap.Close, basic.Close, digest.Close} {
		defer end()
	}
	gemini, trusted := secretive(t)
	for _, tt := range []struct {
		uri, realm string
		first      bool // the client names a user before the server asks
		user       string
		password   string
	}{
		{uri: ftp.URL + "/a.txt", first: true},
		{uri: strings.Replace(news.URL, "nntp:", "news:", 1) + "/lab.dots"},
		{uri: dict.URL + "/d:ftp"},
		{uri: basic.URL + "/", realm: "the cellar"},
		{uri: digest.URL + "/", realm: "the cellar"},
		{uri: ldap.URL + "/o=site", first: true, user: "cn=joe,o=site"},
		{uri: imap.URL + "/INBOX", first: true, user: mailtest.User, password: mailtest.Password},
		{uri: gemini + "/a", realm: "the cellar"}, // input of status 11
	} {
		c := fetch.New(schemes.All(nil)...)
		c.TLS = trusted
		if tt.user == "" {
			tt.user = "joe"
		}
		if tt.password == "" {
			tt.password = "sesame"
		}
		asked := asksTwice(t, c, tt.uri, tt.user, tt.password)
		if len(asked) != 2 {
			t.Errorf("%s: got the questions %+v, want 2", tt.uri, asked)
			continue
		}
		u := uri.MustParse(tt.uri)
		for i, r := range asked {
			if r.Attempt != i+1 || r.Scheme != u.Scheme() || r.Host != "127.0.0.1" || r.Port != u.PortNumber(0) || r.Asked == (tt.first && i == 0) ||
				r.Realm != tt.realm && r.Asked || r.Proxy {
				t.Errorf("%s: got the question %+v, want attempt %d with the scheme, the host, the port and the realm %q", u, r, i+1, tt.realm)
			}
		}
	}
}

// locked is a web server that lets joe in who knows "sesame".
func locked(challenge string) nethttp.HandlerFunc {
	return func(w nethttp.ResponseWriter, r *nethttp.Request) {
		given := r.Header.Get("Authorization")
		if user, password, _ := r.BasicAuth(); user == "joe" && password == "sesame" || given != "" && given == digestOf(given, r.RequestURI) {
			return
		}
		w.Header().Set("WWW-Authenticate", challenge)
		w.WriteHeader(401)
	}
}

// digestOf returns the credentials given, with the response that joe's password makes (RFC 7616 section 3.4.1). It returns "" if they are not
// those of Digest.
func digestOf(given, target string) string {
	part := func(name string) string {
		_, v, _ := strings.Cut(given, " "+name+"=")
		v, _, _ = strings.Cut(v, ",")
		return strings.Trim(v, `"`)
	}
	hash := func(words ...string) string { return fmt.Sprintf("%x", md5.Sum([]byte(strings.Join(words, ":")))) }
	old := part("response")
	if old == "" {
		return ""
	}
	right := hash(hash("joe", part("realm"), "sesame"), "n", part("nc"), part("cnonce"), "auth", hash("GET", target))
	return strings.Replace(given, old, right, 1)
}

// secretive is a gemini server that wants the input "sesame" everywhere except at /60, where it wants a certificate.
func secretive(t *testing.T) (url string, trusted *tls.Config) {
	t.Helper()
	cfg, roots, err := loopback.SelfSigned()
	if err != nil {
		t.Fatal(err)
	}
	addr := loopback.ForTest(t, func(nc net.Conn) {
		s := tls.Server(nc, cfg)
		defer s.Close()
		switch line, _ := bufio.NewReader(s).ReadString('\n'); {
		case strings.HasSuffix(line, "/60\r\n"):
			io.WriteString(s, "60 a certificate\r\n")
		case strings.HasSuffix(line, "?sesame\r\n"):
			io.WriteString(s, "20 text/plain\r\nhello\n")
		default:
			io.WriteString(s, "11 the cellar\r\n")
		}
	})
	return "gemini://" + addr, &tls.Config{RootCAs: roots}
}

// Logins is not called for what a name and a password cannot answer, nor for a URI without a server.
func TestNoLoginWithoutNeed(t *testing.T) {
	url, trusted := secretive(t)
	denied := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		w.Header().Set("WWW-Authenticate", "Negotiate")
		w.WriteHeader(401)
	}))
	defer denied.Close()
	for _, u := range []string{url + "/60", denied.URL + "/", "data:,x", "cid:a@b", "mid:a@b"} {
		c := fetch.New(schemes.All(nil)...)
		c.TLS = trusted
		c.Logins = func(_ context.Context, r fetch.LoginRequest) (fetch.Login, error) {
			t.Errorf("%s: got the question %+v, want none", u, r)
			return fetch.Login{}, nil
		}
		if d, err := c.Get(t.Context(), uri.MustParse(u), nil); err == nil {
			d.Body.Close()
		} else if strings.Contains(u, "//") && fetch.KindOf(err) != fetch.ErrAuth {
			t.Errorf("%s: got %v, want %s", u, err, fetch.ErrAuth)
		}
		c.Close()
	}
}
