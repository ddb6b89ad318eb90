// Package fetch says what dereferencing a URI is.
//
// The drafts of the Web's name space ask of every naming scheme one thing: an algorithm that takes the URI and produces either the
// object itself, in a well-defined format, or a set of URIs which will lead to it. This package is that sentence in Go. A Handler
// has two methods: Plan turns a URI into the protocol's command sequence, as data and without any I/O; Run carries the plan out
// and returns a Document, which is the object (Body, Entries) or Referrals. A Registry maps each prefix to its handler. The
// Client, and only the Client, follows referrals, opens sockets, keeps time and counts octets, so that every rule about where one
// may be led, how long one waits and how much one takes is written once.
//
//	c := fetch.New(schemes.All(nil)...)
//	defer c.Close()
//	d, err := c.Get(ctx, uri.MustParse("gopher://gopher.example/0/about.txt"), nil)
//	if err != nil {
//		return err
//	}
//	defer d.Body.Close()
//	_, err = io.Copy(os.Stdout, d.Body) // nil means whole
//
// # Whole or an error
//
// Body's io.EOF means that the object is whole and that its protocol has confirmed it: the declared length came, the terminating
// mark or the final reply. Where a protocol has nothing better than an orderly close (gopher, finger, HTTP/1.0), Document.End says
// so. Whatever is shorter ends in an *Error.
//
// # Errors
//
// Every error has a Kind, which is itself an error:
//
//	if errors.Is(err, fetch.ErrNotFound) { ... }
//	if e, ok := errors.AsType[*fetch.Error](err); ok { log(e.Kind, e.Text, e.Hint) }
//
// The server said no, the peer broke the protocol, could not reach, and we refuse, are four different things. No text holds a
// secret of the request. context.Canceled and context.DeadlineExceeded come through errors.Is.
//
// # The conversation
//
// Options.Trace receives it: the steps of the plan in words, and the octets in both directions, inside TLS and with secrets
// blanked. Package fetch/dialogue writes it in a readable form, and plays it again.
//
//	o := &fetch.Options{Trace: func(e fetch.Event) { fmt.Printf("%c %q\n", e.Dir, e.Data) }}
//
// # Where one may be led
//
// Policy is checked for every socket after name resolution, data connections, datagrams and referrals included. By default any
// address may be contacted, but no port that belongs to another service; ten referrals are followed, and only to the schemes that
// Scheme.MayReferTo names. Credentials are bound to scheme, host and port.
//
// # Writing a handler
//
// Read Handler, whose comments are the contract, then the smallest folder of schemes, then fetchtest, whose Test checks all of it.
// What differs from the project's first design (Schemes of several ports are several values; a listing parsed from its octets is
// made by Document.ListWith; Packets is a type of its own; Scheme.MayReferTo and Scheme.Local carry the policy of referrals) does so
// because the handlers read better.
//
// # Compatibility
//
// What is exported here stays, with its meaning, within a major version. Struct types may grow fields and interfaces that callers
// do not implement may grow methods, so use field names in literals. Handler will not grow: what a handler may do besides is an
// interface of its own, like Sender and Attacher. The texts of errors may change; their kinds do not.
package fetch
