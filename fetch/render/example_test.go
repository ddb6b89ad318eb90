package render_test

import (
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/render/htmltext"
	"example.org/deref/uri"
)

func ExampleView() {
	// d, err := client.Get(ctx, uri.MustParse("gopher://example.org/1/"), nil)
	d := fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
		_ = yield(fetch.Entry{Kind: fetch.KindText, Title: "Welcome", Size: -1}, nil) &&
			yield(fetch.Entry{Kind: fetch.KindFile, Title: "About this server", URI: uri.MustParse("gopher://example.org/0/about"), Size: -1},
				nil) &&
			yield(fetch.Entry{Kind: fetch.KindMenu, Title: "Files", URI: uri.MustParse("gopher://example.org/1/files"), Size: -1}, nil)
	})
	defer d.Body.Close()
	if err := render.View(os.Stdout, d, render.Text, nil); err != nil {
		log.Fatal(err)
	}
	// Output:
	// Welcome
	//   [1] About this server
	//   [2] Files/
}

func ExampleView_page() {
	d := fetch.NewDocument(io.NopCloser(strings.NewReader(`<H1>Names</H1>See the <A HREF="uri.html">URI page</A>.`)))
	d.Type, d.Base = "text/html", uri.MustParse("http://example.org/docs/")
	if err := render.View(os.Stdout, d, render.Text, &render.Options{Page: htmltext.Render}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// Names
	// =====
	//
	// See the [1]URI page.
	//
	// References
	//   [1] http://example.org/docs/uri.html
}

func ExampleNewTerminal() {
	t := render.NewTerminal(os.Stdout)
	fmt.Fprint(t, "a\x1b]0;title\ab\r\n")
	t.Flush()
	// Output: a\x1b]0;title\x07b
}

func ExampleParseWriteOut() {
	w, err := render.ParseWriteOut(`%{type} %{size}\n`)
	if err != nil {
		log.Fatal(err)
	}
	size := int64(42)
	if err := w.Write(os.Stdout, render.Info{Type: "text/plain", Size: &size}, nil); err != nil {
		log.Fatal(err)
	}
	// Output: text/plain 42
}

func ExampleEscape() {
	fmt.Println(render.Escape("a title\x1b[2J\n"))
	// Output: a title\x1b[2J\x0a
}
