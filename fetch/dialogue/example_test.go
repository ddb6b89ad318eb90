package dialogue_test

import (
	"context"
	"fmt"
	"io"
	"os"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/schemes/gopher"
	"example.org/deref/uri"
)

const report = `
# deref gopher://gopher.example/0/about.txt
*: [connected to 192.0.2.1:70]
C: /about.txt
S: All about us.
S: .
*: [end]
`

// A dialogue from a bug report is played without a network.
func ExamplePlayer() {
	script, err := dialogue.Parse(report)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := dialogue.NewPlayer(script, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := fetch.New(gopher.Schemes()...)
	p.Attach(c)
	doc, err := c.Get(context.Background(), uri.MustParse("gopher://gopher.example/0/about.txt"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := io.ReadAll(doc.Body)
	doc.Body.Close()
	c.Close()
	fmt.Printf("%q %v %v\n", text, err, p.Close())
	// Output: "All about us.\r\n" <nil> <nil>
}

// A Recorder writes a dialogue that Parse reads.
func ExampleRecorder() {
	script, _ := dialogue.Parse(report)
	p, err := dialogue.NewPlayer(script, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	c := fetch.New(gopher.Schemes()...)
	defer c.Close()
	p.Attach(c)
	r := dialogue.NewRecorder(os.Stdout)
	doc, err := c.Get(context.Background(), uri.MustParse("gopher://192.0.2.1/0/about.txt"), &fetch.Options{Trace: r.Trace})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer doc.Body.Close()
	io.Copy(io.Discard, doc.Body)
	r.Flush()
	// Output:
	// *: [connected to 192.0.2.1:70]
	// *: /about.txt
	// C: /about.txt
	// S: All about us.
	// S: .
	// *: [end]
}
