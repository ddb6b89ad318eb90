package gateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/ldap/ldaptest"
	"example.org/deref/schemes/mail/mailtest"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/testdata"
)

// A gateway whose Client has a Recorder archives what readers request, without their passwords and cookies.
func TestArchivesWhatReadersRequest(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); r.URL.Path == "/private" && password != "OpenSesame" {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "c00kieOfTheReader"})
		io.WriteString(w, "the document at "+r.URL.Path)
	}))
	t.Cleanup(site.Close)
	name := filepath.Join(t.TempDir(), "a.warc")
	w, err := warc.Create(name, &warc.Options{HideCookies: true, HideUsers: true, Log: true})
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(schemes.All(nil)...)
	c.Recorder = warc.NewRecorder(w)
	l := labOf(t, c, nil)
	reader := func(r *http.Request) {
		r.Header.Set("Cookie", "session=c00kieOfTheReader")
		r.SetBasicAuth("ann", "OpenSesame")
	}
	throughProxy(t, l.URL, site.URL+"/public", reader)
	throughProxy(t, l.URL, site.URL+"/private", reader)
	l.ask(t, "/http/"+strings.TrimPrefix(site.URL, "http://")+"/page", reader)
	l.ask(t, "/-/raw/http/"+strings.TrimPrefix(site.URL, "http://")+"/private", reader)
	private := ftptest.NewServer(fstest.MapFS{"a.txt": {Data: []byte("of zenobia")}}, &ftptest.Options{NoAnonymous: true, Users: map[string]ftptest.User{"zenobia": {Password: "OpenSesame"}}})
	t.Cleanup(private.Close)
	public := ftptest.NewServer(fstest.MapFS{"b.txt": {Data: []byte("of all")}}, nil)
	t.Cleanup(public.Close)
	news := newstest.NewServer(testdata.Site(), &newstest.Options{Users: map[string]string{"zenobia": "OpenSesame"}})
	t.Cleanup(news.Close)
	directory := ldaptest.NewServer(testdata.Site(), &ldaptest.Options{Users: map[string]string{"cn=zenobia,o=site": "OpenSesame"}})
	t.Cleanup(directory.Close)
	l.ask(t, "/ldap/"+strings.TrimPrefix(directory.URL, "ldap://")+"/o=site", func(r *http.Request) { r.SetBasicAuth("cn=zenobia,o=site", "OpenSesame") })
	mailbox, err := mailtest.ListenIMAP(testdata.Site(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mailbox.Close() })
	l.ask(t, "/imap/"+mailbox.Addr+"/INBOX", func(r *http.Request) { r.SetBasicAuth(mailtest.User, mailtest.Password) })
	as := func(password string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth("zenobia", password) }
	}
	for _, path := range []string{"/ftp/" + strings.TrimPrefix(private.URL, "ftp://") + "/a.txt", "/news/" + news.Addr + "/second.2@site.example"} {
		l.shows(t, path, as("OpenSesame"), "<h1>")
		l.ask(t, path, as("wrong"))
	}
	l.ask(t, "/ftp/"+strings.TrimPrefix(public.URL, "ftp://")+"/b.txt", nil)
	l.Close() // and every request has ended
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, secret := range []string{"OpenSesame", "YW5uOk9wZW5TZXNhbWU", "c00kieOfTheReader"} {
		if strings.Contains(text, secret) {
			t.Errorf("got %s in the archive, want no secret of a reader:\n%s", secret, text)
		}
	}
	for _, secret := range []string{"zenobia", "emVub2JpYQ", " ann ", "\"ann\""} {
		if rest := strings.ReplaceAll(text, "of zenobia", ""); strings.Contains(rest, secret) {
			i := strings.Index(rest, secret)
			t.Errorf("got %s in the archive, want no name of a reader:\n%s", secret, rest[max(0, i-300):min(len(rest), i+100)])
		}
	}
	contains(t, "the archive", text, "the document at /public", "the document at /page", "C: USER ***\n", "C: USER anonymous\n", "C: AUTHINFO USER ***\n", "of zenobia")
	a := fromArchive(t, name)
	if _, got := throughProxy(t, a.URL, site.URL+"/public", func(*http.Request) {}); got != "the document at /public" {
		t.Errorf("from the archive: got %q, want the document", got)
	}
}
