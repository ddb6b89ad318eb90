package main

import (
	"bytes"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
	"example.org/deref/schemes/dict/dicttest"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/ldap/ldaptest"
	"example.org/deref/schemes/mail/mailtest"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/uri"
)

// Every scheme returns a document that contains the password unchanged, also from its archive, and from a recording if that can be
// replayed. The Client reports through Repeated that the document contains the password (promise 7).
func TestPromise7EverySchemeKeepsDocuments(t *testing.T) {
	long(t, "many commands or processes")
	everyScheme(t, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte) {
		if u.Scheme() == "data" || u.Scheme() == "file" {
			t.Skip("nobody is told anything")
		}
		if info, ok := u.Userinfo(); ok && strings.Contains(string(info), ":") {
			t.Skip("the server knows one password only")
		}
		word := string(regexp.MustCompile(`[A-Za-z]{3,}`).Find(want))
		if word == "" {
			t.Skip("the document has no word")
		}
		err := keepsDocument(t, newClient, u, fetch.Login{User: "ann", Password: word, Set: true}, want)
		if kind := fetch.KindOf(err); loginServers()[u.Scheme()] != nil && (kind == fetch.ErrAuth || kind == fetch.ErrRefusedURL) {
			t.Skipf("TestPromise7ServersWithLoginsKeepDocuments has this: %v", err)
		}
		if err != nil {
			t.Error(err)
		}
	})
}

// Documents that contain the password are delivered unchanged, too, if the server requires that password: FTP, news, dict, IMAP and LDAP.
func TestPromise7ServersWithLoginsKeepDocuments(t *testing.T) {
	const word = mailtest.PlainPassword // the only one that the IMAP server accepts
	text := "Subject: a " + word + "\r\nNewsgroups: a.b\r\nMessage-ID: <a@b>\r\nFrom: a@b.example\r\n\r\n" +
		word + " is what the " + word + " is.\r\n"
	note := []byte(word + "\n---\nThe " + word + " is no " + word + ".\n")
	site := fstest.MapFS{"doc.txt": {Data: note}, "notes/doc.txt": {Data: note}, "mail/doc.eml": {Data: []byte(text)},
		"news/a.b/1": {Data: []byte(text)}}
	for scheme, start := range loginServers() {
		t.Run(scheme, func(t *testing.T) {
			s, err := start(site, word)
			if err != nil {
				t.Fatal(err)
			}
			defer s.stop()
			u := uri.MustParse(s.url)
			newClient := func() *fetch.Client { return fetch.New(schemes.All(nil)...) }
			c := newClient()
			defer c.Close()
			wrong := s.login
			wrong.Password = "another"
			if _, _, err := read(t.Context(), c, u, &fetch.Options{Login: wrong}); fetch.KindOf(err) != fetch.ErrAuth {
				t.Errorf("%s with another password: got %v, want %s", u, err, fetch.ErrAuth)
			}
			want, _, err := read(t.Context(), c, u, &fetch.Options{Login: s.login})
			if err != nil || !bytes.Contains(bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n")), s.holds) {
				t.Fatalf("%s: got %q, %v, want %q in it", u, want, err, s.holds)
			}
			if err := keepsDocument(t, newClient, u, s.login, want); err != nil {
				t.Error(err)
			}
		})
	}
}

// A loginServer is a running server whose documents require a login.
type loginServer struct {
	url   string
	login fetch.Login
	holds []byte // the contents of the document
	stop  func()
}

// loginServers starts the servers that require a login, by scheme.
func loginServers() map[string]func(fsys fstest.MapFS, password string) (loginServer, error) {
	ann := func(password string) fetch.Login { return fetch.Login{User: "ann", Password: password, Set: true} }
	return map[string]func(fstest.MapFS, string) (loginServer, error){
		"ftp": func(fsys fstest.MapFS, password string) (loginServer, error) {
			s, err := ftptest.Listen(fsys, &ftptest.Options{NoAnonymous: true, Users: map[string]ftptest.User{"ann": {Password: password}}})
			if err != nil {
				return loginServer{}, err
			}
			return loginServer{s.URL + "/doc.txt", ann(password), fsys["doc.txt"].Data, s.Close}, nil
		},
		"news": func(fsys fstest.MapFS, password string) (loginServer, error) {
			s, err := newstest.Listen(fsys, &newstest.Options{Private: "*", Users: map[string]string{"ann": password}})
			if err != nil {
				return loginServer{}, err
			}
			return loginServer{"news://" + s.Addr + "/a@b", ann(password), []byte(password + " is what the " + password + " is.\n"), s.Close}, nil
		},
		"dict": func(fsys fstest.MapFS, password string) (loginServer, error) {
			s, err := dicttest.Listen(fsys, &dicttest.Options{Users: map[string]string{"ann": password}})
			if err != nil {
				return loginServer{}, err
			}
			return loginServer{s.URL + "/d:doc:notes:1", ann(password), fsys["notes/doc.txt"].Data, s.Close}, nil
		},
		"imap": func(fsys fstest.MapFS, password string) (loginServer, error) {
			s, err := mailtest.ListenIMAP(fsys, nil)
			if err != nil {
				return loginServer{}, err
			}
			login := ann(password)
			login.User = mailtest.Plain
			return loginServer{"imap://" + s.Addr + "/INBOX/;UID=1", login, []byte(password + " is what the " + password + " is.\n"), s.Close}, nil
		},
		"ldap": func(fsys fstest.MapFS, password string) (loginServer, error) {
			login := ann(password)
			login.User = "cn=ann,o=site"
			s, err := ldaptest.Listen(fsys, &ldaptest.Options{Users: map[string]string{login.User: password}})
			if err != nil {
				return loginServer{}, err
			}
			return loginServer{s.URL + "/cn=doc.txt,o=site?data???x-value", login, fsys["doc.txt"].Data, s.Close}, nil
		},
	}
}

// keepsDocument checks the bytes of u's document, by itself and from its archive, and the Client's calls of Repeated. It returns an error
// of the request itself.
func keepsDocument(t *testing.T, newClient func() *fetch.Client, u uri.URI, login fetch.Login, want []byte) error {
	t.Helper()
	archive := filepath.Join(t.TempDir(), "a.warc")
	w, err := warc.Create(archive, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := newClient()
	defer c.Close()
	c.Recorder = warc.NewRecorder(w)
	var mu sync.Mutex
	repeated := 0
	c.Repeated = func(uri.URI) { mu.Lock(); repeated++; mu.Unlock() }
	var script bytes.Buffer
	rec := dialogue.NewRecorder(&script)
	got, _, err := read(t.Context(), c, u, &fetch.Options{Login: login, Trace: rec.Trace})
	if err = errors.Join(err, w.Close(), rec.Flush()); err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%s with the password %q: got %.200q, want %.200q", u, login.Password, got, want)
	}
	again := archiveClient(t, archive)
	defer again.Close()
	if got, _, err = read(t.Context(), again, u, nil); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s from the archive with the password %q: got %.200q, %v, want %.200q", u, login.Password, got, err, want)
	}
	if repeated != 1 && strings.Contains(script.String(), login.Password) { // otherwise the document was encoded
		t.Errorf("%s: the Client is told %d times that the document repeats %q, want 1", u, repeated, login.Password)
	}
	return nil
}
