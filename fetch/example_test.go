package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/data"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/gopher"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/uri"
)

// site is a gopher server on loopback with two texts.
func site() *loopback.Server {
	return gophertest.NewServer(fstest.MapFS{"about.txt": {Data: []byte("All about us.\n")}, "zoo.txt": {Data: []byte("Animals.\n")}}, nil)
}

// A document with a deadline. A nil error of io.Copy means that it is whole.
func ExampleClient_Get() {
	srv := site()
	defer srv.Close()
	c := fetch.New(gopher.Schemes()...)
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	d, err := c.Get(ctx, uri.MustParse(srv.URL+"/0/about.txt"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	fmt.Println(d.Type, "because of", d.TypeReason)
	io.Copy(os.Stdout, d.Body)
	// Output:
	// text/plain because of item type 0
	// All about us.
}

// The class of a failure is a Kind, anywhere in a chain of errors.
func ExampleKindOf() {
	srv := site()
	defer srv.Close()
	c := fetch.New(gopher.Schemes()...)
	defer c.Close()
	_, err := c.Get(context.Background(), uri.MustParse(srv.URL+"/0/nonesuch"), nil)
	fmt.Println(fetch.KindOf(err), errors.Is(err, fetch.ErrNotFound))
	_, err = c.Get(context.Background(), uri.MustParse(srv.URL+"/0/a%0D%0Ab"), nil)
	fmt.Println(fetch.KindOf(err))
	if e, ok := errors.AsType[*fetch.Error](err); ok {
		fmt.Println(e.Text)
	}
	// Output:
	// notfound true
	// refused-url
	// CR, LF or NUL in an argument of the request
}

// A plan lists the commands that would be sent. No server is contacted.
func ExampleClient_Plan() {
	c := fetch.New(ftp.Schemes(nil)...)
	p, err := c.Plan(uri.MustParse("ftp://ftp.example/a/b%20c/f.txt;type=a"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Addr)
	for _, s := range p.When("") {
		fmt.Println(s.Line())
	}
	// Output:
	// ftp.example:21
	// USER anonymous
	// PASS deref@
	// CWD a
	// CWD b c
	// TYPE A
	// EPSV
	// RETR f.txt
	// QUIT
}

// The entries of a menu, directory, group or search.
func ExampleClient_Entries() {
	srv := site()
	defer srv.Close()
	c := fetch.New(gopher.Schemes()...)
	defer c.Close()
	for e, err := range c.Entries(context.Background(), uri.MustParse(srv.URL+"/"), nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Kind, e.Title)
	}
	// Output:
	// file about.txt
	// file zoo.txt
}

// The conversation, as it happens.
func ExampleOptions_trace() {
	srv := site()
	defer srv.Close()
	c := fetch.New(gopher.Schemes()...)
	defer c.Close()
	said := map[byte]string{} // bytes arrive in pieces of any size
	o := &fetch.Options{Trace: func(e fetch.Event) { said[e.Dir] += string(e.Data) }}
	d, err := c.Get(context.Background(), uri.MustParse(srv.URL+"/0/zoo.txt"), o)
	if err != nil {
		fmt.Println(err)
		return
	}
	io.Copy(io.Discard, d.Body)
	d.Body.Close()
	fmt.Printf("C: %q\nS: %q\n", said[fetch.FromClient], said[fetch.FromServer])
	// Output:
	// C: "/zoo.txt\r\n"
	// S: "Animals.\r\n.\r\n"
}

// A client that contacts only the given networks.
func ExamplePolicy() {
	srv := site()
	defer srv.Close()
	c := fetch.New(append(gopher.Schemes(), data.Scheme())...)
	c.Policy = fetch.Policy{DenyPrivate: true, Allow: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}
	defer c.Close()
	_, err := c.Get(context.Background(), uri.MustParse(srv.URL+"/"), nil)
	fmt.Println(fetch.KindOf(err))
	// Output: denied
}

// A dialer decides where a connection leads, and gets the name of the host. Env.Dial calls it for every scheme.
func ExampleClient_dialer() {
	srv := site()
	defer srv.Close()
	c := fetch.New(gopher.Schemes()...)
	defer c.Close()
	c.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		fmt.Println(network, addr)
		return new(net.Dialer).DialContext(ctx, network, srv.Addr)
	}
	d, err := c.Get(context.Background(), uri.MustParse("gopher://museum.example/0/about.txt"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	io.Copy(os.Stdout, d.Body)
	// Output:
	// tcp museum.example:70
	// All about us.
}

// A server that does not answer in time. The deadline also holds for the Body of a document.
func ExampleClient_Get_deadline() {
	release := make(chan struct{})
	srv, err := loopback.Serve("gopher", "", 0, func(*loopback.Conn) { <-release })
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()
	defer close(release)
	c := fetch.New(gopher.Schemes()...)
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	_, err = c.Get(ctx, uri.MustParse(srv.URL+"/0/about.txt"), nil)
	fmt.Println(fetch.KindOf(err))
	// Output: timeout
}

// A progress reports what has arrived of a document.
type progress struct{ arrived, size int64 }

func (p *progress) Write(b []byte) (int, error) {
	p.arrived += int64(len(b))
	fmt.Printf("%d of %d bytes\n", p.arrived, p.size)
	return len(b), nil
}

// Progress is a Writer that gets the Body, too. Size is -1 if it is unknown.
func ExampleDocument_progress() {
	c := fetch.New(data.Scheme())
	defer c.Close()
	d, err := c.Get(context.Background(), uri.MustParse("data:,Animals"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	io.Copy(io.MultiWriter(io.Discard, &progress{size: d.Size}), d.Body)
	// Output: 7 of 7 bytes
}

// A new scheme needs a name and a Plan. This one is the quote of the day (RFC 865): its client sends nothing, and the server's text ends with the
// connection. The step that says so is announced, not sent.
func ExampleScheme() {
	run := func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{Record: fetch.RecordLines})
		if err == nil {
			err = env.Announce(p.When("")...)
		}
		if err != nil {
			return nil, err
		}
		c.BeginReply() // a close without a byte is an error
		c.BeginBody()
		d := fetch.NewDocument(c)
		d.Type, d.TypeReason, d.End = "text/plain", "the protocol", fetch.EndClosed
		return d, nil
	}
	plan := func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
		addr, err := u.HostPort(17)
		if err == nil {
			err = fetch.CheckWhole("qotd", o)
		}
		return &fetch.Plan{Network: "tcp", Addr: addr, Shape: fetch.ShapeDocument, Steps: []fetch.Step{{Verb: "read"}}, Run: run}, err
	}
	qotd := fetch.Scheme{Names: []string{"qotd"}, Rules: uri.Rules{DefaultPort: 17, Hierarchical: true}, Does: fetch.Does{Retrieves: true}, Plan: plan}

	srv, err := loopback.Serve("qotd", "", 0, func(c *loopback.Conn) { io.WriteString(c, "Well begun is half done.\r\n") })
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()
	c := fetch.New(qotd)
	defer c.Close()
	d, err := c.Get(context.Background(), uri.MustParse(srv.URL), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	io.Copy(os.Stdout, d.Body)
	// Output: Well begun is half done.
}
