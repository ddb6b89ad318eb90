// Package linkset makes a list of links of many kinds, of which a quarter is broken in twelve ways, and servers for them on this machine. It compares
// programs that check links.
package linkset

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing/fstest"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/testdata"
)

// A Link is a link of the list.
type Link struct {
	URI    string
	Way    string // what is right or wrong with it
	Broken bool
}

// Servers serve the targets of the links.
type Servers struct {
	web    *httptest.Server
	ftp    *ftptest.Server
	gopher *loopback.Server
	news   *newstest.Server
}

// Start starts the servers. The caller calls Close.
func Start() *Servers {
	files := fstest.MapFS{}
	for i := range 1000 {
		files[fmt.Sprintf("file%d.txt", i)] = &fstest.MapFile{Data: []byte("text\n")}
	}
	return &Servers{web: httptest.NewServer(http.HandlerFunc(serve)), ftp: ftptest.NewServer(files, nil), gopher: gophertest.NewServer(files, nil),
		news: newstest.NewServer(testdata.Site(), nil)}
}

// Close ends the servers.
func (s *Servers) Close() {
	s.web.Close()
	s.ftp.Close()
	s.gopher.Close()
	s.news.Close()
}

// Site returns the URI of a site of n pages: /site/N/0 and so on. Each tenth page has a broken link.
func (s *Servers) Site(n int) string { return fmt.Sprintf("%s/site/%d/0", s.web.URL, n) }

// List returns n links. refused is the host and port of an address that refuses connections.
func (s *Servers) List(n int, refused string) (list []Link) {
	good, bad := s.good(), s.bad(refused)
	for i := range n {
		l := good[(i-i/4)%len(good)]
		if i%4 == 3 {
			l = bad[i/4%len(bad)]
		}
		l.URI = strings.ReplaceAll(l.URI, "NUMBER", fmt.Sprint(i%1000))
		l.URI = strings.ReplaceAll(l.URI, "SERIAL", fmt.Sprint(i))
		list = append(list, l)
	}
	return list
}

func (s *Servers) good() []Link {
	web := s.web.URL
	return []Link{
		{web + "/page/SERIAL", "a page", false},
		{web + "/page/SERIAL#part", "a part of a page", false},
		{web + "/moved/SERIAL", "a redirect to a page", false},
		{s.ftp.URL + "/fileNUMBER.txt", "a file (ftp)", false},
		{web + "/no-head/SERIAL", "a page, without HEAD", false},
		{s.gopher.URL + "/0/fileNUMBER.txt", "a text (gopher)", false},
		{web + "/page/SERIAL?a=b&c=d", "a page with a query", false},
		{s.news.URL + "/comp.infosystems.www/1#SERIAL", "an article (news)", false},
		{web + "/page/a%20b%C3%A9SERIAL", "a page with escapes", false},
		{web + "/page/SERIAL#top", "the top of a page", false},
		{"data:,SERIAL", "data", false},
		{web + "/chain/3/SERIAL", "three redirects", false},
	}
}

func (s *Servers) bad(refused string) []Link {
	web := s.web.URL
	return []Link{
		{web + "/gone/SERIAL", "404", true},
		{web + "/status/410/SERIAL", "410", true},
		{web + "/status/500/SERIAL", "500", true},
		{web + "/page/SERIAL#none", "no such part", true},
		{web + "/loop/SERIAL", "a loop of redirects", true},
		{web + "/chain/60/SERIAL", "sixty redirects", true},
		{web + "/lost/SERIAL", "a redirect to 404", true},
		{web + "/cut/SERIAL", "no response", true},
		{s.ftp.URL + "/noneSERIAL.txt", "no such file (ftp)", true},
		{s.gopher.URL + "/0/noneSERIAL.txt", "no such text (gopher)", true},
		{s.news.URL + "/comp.infosystems.www/9SERIAL", "no such article (news)", true},
		{"http://" + refused + "/SERIAL", "a refused connection", true},
	}
}

// serve responds to /WAY/....
func serve(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(r.URL.Path, "/")
	way, rest := parts[1], parts[len(parts)-1]
	n := 0
	if len(parts) > 2 {
		fmt.Sscan(parts[2], &n)
	}
	switch way {
	case "no-head":
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		page(w, "")
	case "page":
		page(w, "")
	case "moved":
		http.Redirect(w, r, "/page/"+rest, http.StatusMovedPermanently)
	case "loop":
		http.Redirect(w, r, r.URL.Path, http.StatusFound)
	case "lost":
		http.Redirect(w, r, "/gone/"+rest, http.StatusFound)
	case "chain":
		to := fmt.Sprintf("/chain/%d/%s", n-1, rest)
		if n == 0 {
			to = "/page/" + rest
		}
		http.Redirect(w, r, to, http.StatusFound)
	case "status":
		w.WriteHeader(n)
	case "cut":
		panic(http.ErrAbortHandler)
	case "site":
		site(w, r, n)
	default:
		http.NotFound(w, r)
	}
}

func page(w io.Writer, links string) {
	io.WriteString(w, "<!DOCTYPE html><html><head><title>x</title></head><body><h1 id=\"part\">x</h1>"+links+"</body></html>")
}

// site responds with page i of a site of n pages, which links to seven others.
func site(w http.ResponseWriter, r *http.Request, n int) {
	i := -1
	fmt.Sscanf(r.URL.Path, "/site/%d/%d", &n, &i)
	if i < 0 || i >= n {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	text := fmt.Sprintf(`<a href="%d#part">last</a> `, n-1)
	for k := range 6 {
		text += fmt.Sprintf(`<a href="%d">next</a> `, (6*i+k+1)%n)
	}
	if i%10 == 0 {
		text += fmt.Sprintf(`<a href="/gone/%d">gone</a>`, i)
	}
	page(w, text)
}
