// Package fetch defines what dereferencing a URI means.
//
// The drafts of the Web's name space ask of every naming scheme an algorithm that takes the URI and produces either the object itself, in a
// well-defined format, or a set of URIs that refer to it. A Scheme is such an algorithm in Go: its Plan function turns a URI into the
// protocol's command sequence, as data and without any I/O. The Plan's Run function carries it out and returns a Document, which is the object
// (Body, Entries) or Referrals. A Registry lists the schemes. The Client, and only the Client, follows referrals, opens sockets, sets
// deadlines and counts bytes, so that every rule about what is contacted, how long to wait and how much to accept is in one place.
//
//	c := fetch.New(schemes.All(nil)...)
//	defer c.Close()
//	d, err := c.Get(ctx, uri.MustParse("gopher://gopher.example/0/about.txt"), nil)
//	if err != nil {
//		return err
//	}
//	defer d.Body.Close()
//	_, err = io.Copy(os.Stdout, d.Body) // nil means complete
//
// # Complete or an error
//
// Body's io.EOF means that the object is complete and that its protocol has confirmed it: the declared length has arrived, the terminating mark
// or the final reply. In protocols that have nothing better than an orderly close (gopher, finger, HTTP/1.0), Document.End is EndClosed.
// Anything shorter ends with an *Error.
//
// # Errors
//
// Every error has a Kind, which is itself an error:
//
//	if errors.Is(err, fetch.ErrNotFound) { ... }
//	if e, ok := errors.AsType[*fetch.Error](err); ok { log(e.Kind, e.Text, e.Hint) }
//
// The families of kinds are distinct: refused here, not reached, refused by the server, protocol violated. No text contains a secret of the
// request. context.Canceled and context.DeadlineExceeded are visible to errors.Is. A Hint is a sentence or names a field to set, such as
// hint.AllowPorts; nothing here mentions the flags of a command.
//
// # The conversation
//
// Options.Trace receives it: the steps of the plan in words, and the bytes in both directions, inside TLS and with secrets masked. Package
// fetch/dialogue writes it in a readable form, and replays it.
//
//	o := &fetch.Options{Trace: func(e fetch.Event) { fmt.Printf("%c %q\n", e.Dir, e.Data) }}
//
// # What is contacted
//
// The Policy is checked for every socket after name resolution, including data connections, datagrams and referrals. By default any address is
// allowed, but no port that belongs to another service. Ten referrals are followed, and only to the schemes that Scheme.MayReferTo names.
// Credentials are bound to scheme, host and port.
//
// # Handlers
//
// Scheme, Plan, Env, Conn and what they refer to are also for those who write a handler: package schemes says how.
//
// # Compatibility
//
// What is exported here stays, with its meaning, within a major version. Struct types may get more fields, and interfaces that callers do not
// implement more methods, so use field names in literals. The texts of errors may change; their kinds do not.
package fetch
