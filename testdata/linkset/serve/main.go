// Command serve runs the servers of package linkset until its standard input ends, and writes the list to the directory that is its argument: links.html
// for programs that check links, and expected.tsv. It prints the URI of a site of 2,000 pages.
//
//	go run ./testdata/linkset/serve DIRECTORY
package main

import (
	"errors"
	"fmt"
	"html"
	"io"
	"log"
	"net"
	"os"
	"path/filepath"
	"strings"

	"example.org/deref/testdata/linkset"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: serve DIRECTORY")
	}
	s := linkset.Start()
	defer s.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	refused := l.Addr().String()
	var page, expected strings.Builder
	err = l.Close()
	for _, link := range s.List(1600, refused) {
		fmt.Fprintf(&page, "<a href=\"%s\">x</a>\n", html.EscapeString(link.URI))
		fmt.Fprintf(&expected, "%t\t%s\t%s\n", link.Broken, link.Way, link.URI)
	}
	err = errors.Join(err, os.WriteFile(filepath.Join(os.Args[1], "links.html"), []byte(page.String()), 0o600),
		os.WriteFile(filepath.Join(os.Args[1], "expected.tsv"), []byte(expected.String()), 0o600))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Site(2000))
	io.Copy(io.Discard, os.Stdin)
}
