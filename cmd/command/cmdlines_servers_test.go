package command

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/deref/cmd/internal/testservers"
	"example.org/deref/testdata"
)

// cmdlineWeb is the web server of the command lines.
func cmdlineWeb() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("/page/{name}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Page", r.PathValue("name"))
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintf(w, "page %s\n", r.PathValue("name"))
	})
	m.HandleFunc("/echo", echo)
	m.HandleFunc("/echo/", echo)
	show := func(path, field string) {
		m.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.Header.Get(field)) })
	}
	show("/agent", "User-Agent")
	show("/accept", "Accept")
	m.HandleFunc("/host", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.Host) })
	m.Handle("/redirect", http.RedirectHandler("/page/1", http.StatusFound))
	m.Handle("/loop", http.RedirectHandler("/loop", http.StatusFound))
	refuse := func(path string, status int) {
		m.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { http.Error(w, "the page of a refusal", status) })
	}
	refuse("/missing", http.StatusNotFound)
	refuse("/form", http.StatusMethodNotAllowed)
	everySecond := func(path string, status int) {
		var asked atomic.Int64
		m.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if asked.Add(1)%2 == 1 {
				w.WriteHeader(status)
				return
			}
			fmt.Fprintln(w, "after a failure")
		})
	}
	everySecond("/flaky", http.StatusServiceUnavailable)
	everySecond("/odd", http.StatusNotFound)
	m.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	m.HandleFunc("/attachment", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="named.txt"`)
		fmt.Fprintln(w, "attached")
	})
	m.HandleFunc("/dated", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		http.ServeContent(w, r, "dated.txt", time.Unix(784111777, 0), strings.NewReader(strings.Repeat("0123456789\n", 20)))
	})
	m.HandleFunc("/gzip", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			fmt.Fprintln(w, "plain")
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprintln(z, "compressed")
		z.Close()
	})
	m.HandleFunc("/cookie", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "session=1; Path=/")
		fmt.Fprintln(w, "a cookie is set")
	})
	addLogins(m)
	return m
}

// echo writes the request line and the fields that no client sends by itself.
func echo(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "%s %s\n", r.Method, r.RequestURI)
	var names []string
	for name := range r.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !slices.Contains([]string{"User-Agent", "Accept", "Accept-Encoding", "Connection"}, name) {
			fmt.Fprintf(w, "%s: %s\n", name, strings.Join(r.Header[name], "|"))
		}
	}
}

// addLogins adds the pages that want credentials.
func addLogins(m *http.ServeMux) {
	m.HandleFunc("/basic", func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "alice" || password != "secret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			http.Error(w, "credentials are missing", http.StatusUnauthorized)
			return
		}
		fmt.Fprintln(w, "logged in")
	})
	m.HandleFunc("/preemptive", func(w http.ResponseWriter, r *http.Request) { // without a challenge
		user, _, _ := r.BasicAuth()
		fmt.Fprintf(w, "user <%s>\n", user)
	})
	m.HandleFunc("/digest", func(w http.ResponseWriter, r *http.Request) {
		if a := r.Header.Get("Authorization"); !strings.HasPrefix(a, "Digest ") || !strings.Contains(a, `username="alice"`) {
			w.Header().Set("WWW-Authenticate", `Digest realm="test", nonce="abc", qop="auth"`)
			http.Error(w, "credentials are missing", http.StatusUnauthorized)
			return
		}
		fmt.Fprintln(w, "logged in")
	})
}

// forward is an HTTP proxy.
func forward(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		to, err := net.Dial("tcp", r.Host)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer to.Close()
		w.WriteHeader(http.StatusOK)
		from, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer from.Close()
		go func() { io.Copy(to, from); to.Close() }()
		io.Copy(from, to)
		return
	}
	r.Header.Del("Proxy-Connection")
	r.Header.Del("Proxy-Authorization")
	out, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer out.Body.Close()
	w.WriteHeader(out.StatusCode)
	io.Copy(w, out.Body)
}

// startCmdlineServers starts the servers, and returns the variables of the command lines.
func startCmdlineServers(t *testing.T) map[string]string {
	t.Helper()
	vars := map[string]string{}
	list, err := testservers.Start(testdata.Site(), 0, []string{"http", "ftp", "gopher", "dict"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { testservers.Stop(list) })
	for _, l := range list {
		vars[strings.ToUpper(l.Scheme)] = l.URL
		vars[strings.ToUpper(l.Scheme)+"HOST"] = l.URL[strings.LastIndexAny(l.URL, "/@")+1:]
	}
	web, safe := httptest.NewUnstartedServer(cmdlineWeb()), httptest.NewUnstartedServer(cmdlineWeb())
	proxy := httptest.NewUnstartedServer(http.HandlerFunc(forward))
	for name, s := range map[string]*httptest.Server{"WEB": web, "SAFE": safe, "PROXY": proxy} {
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		if s.EnableHTTP2 = true; name == "SAFE" {
			s.StartTLS()
		} else {
			s.Start()
		}
		t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
		u, err := url.Parse(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		vars[name], vars[name+"HOST"], vars[name+"PORT"] = s.URL, u.Host, u.Port()
	}
	vars["SOCK"] = unixServer(t)
	pin := sha256.Sum256(safe.Certificate().RawSubjectPublicKeyInfo)
	vars["PIN"] = base64.StdEncoding.EncodeToString(pin[:])
	vars["CA"] = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: safe.Certificate().Raw}))
	vars["CLIENT"] = clientPEM(t, safe)
	return vars
}

// unixServer starts the web server on a Unix socket, whose path must be short.
func unixServer(t *testing.T) string {
	dir, err := os.MkdirTemp("", "d")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		os.RemoveAll(dir)
		t.Skip(err)
	}
	s := &http.Server{Handler: cmdlineWeb(), ReadHeaderTimeout: time.Minute}
	go s.Serve(l)
	t.Cleanup(func() { s.Close(); os.RemoveAll(dir) })
	return path
}

// clientPEM returns a certificate with its key.
func clientPEM(t *testing.T, s *httptest.Server) string {
	t.Helper()
	pair := s.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]})
	pem.Encode(&b, &pem.Block{Type: "PRIVATE KEY", Bytes: key})
	return b.String()
}
