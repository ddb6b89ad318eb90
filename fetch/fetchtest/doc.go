// Package fetchtest tests handlers of any scheme, as testing/fstest tests file systems. Test is the conformance suite:
//
//	func TestConformance(t *testing.T) {
//		fetchtest.Test(t, finger.Scheme(),
//			fetchtest.Case{URI: "finger://finger.example/alice", Body: "alice\r\n", Script: `
//				C: alice
//				S: alice
//				*: [end]`},
//			fetchtest.Case{URI: "finger://finger.example/nobody", Err: fetch.ErrNotFound, File: "testdata/nobody.txt"})
//	}
//
// A Case is a URI and the dialogue that dereferences it, in the format of package dialogue. `deref -v` shows this format, `deref --record FILE
// URI` writes it and `deref --replay FILE URI` plays it, so the dialogue of a bug report is a test case. No network is used, unless the Case is
// Live: then its URI names a real server.
//
// Each check has a time limit. Unless the Case is Live, each runs in its own bubble (testing/synctest), where timeouts take no real time. So a
// handler must not keep channels, timers or goroutines from one request to the next. A report is at the line that calls Test, and names the rule.
// These are the rules:
//
//	scheme      the fields of the Scheme are set
//	env         Plan does no I/O, and Run reaches the network only through Env
//	plan        Plan is pure
//	injection   CR, LF and NUL in any part of the URI are refused, or do not reach a line
//	dialogue    the client sends exactly the bytes of the script, in order, and the result is that of the Case
//	document    Type, Size and End are set and correct
//	steps       the client sends the Plan: unconditional steps in order, conditional ones only after [if CONDITION]
//	announced   each step is announced before its bytes are sent
//	again       runs of one Plan are independent, also at the same time, and do not change it
//	trace       the trace equals the bytes sent and received
//	fragment    the fragment is returned and not sent
//	user        the user name of the URI is not sent within a URI
//	range       a byte range, and a request for metadata only, is served or refused, and not ignored
//	reading     read whole, in part, not at all, closed twice, as entries: the same document each time, and nothing is left
//	closing     Close does not wait for the server
//	leaks       no goroutine, connection or descriptor is left
//	cut         the server closes after every byte: an error of the right kind, never a short document that looks complete
//	stall       the client stops waiting for a silent server in time
//	replies     one deadline holds for a whole reply, but not for a document
//	network     a slow network that loses or doubles packets changes nothing; a broken or half-open connection is an error in bounded time
//	cancel      a canceled request returns at once, with context.Canceled
//	corrupt     a wrong byte causes neither a panic nor an endless wait
//	memory      neither an endless line nor an announced length makes the client use much memory
//	limit       a document larger than Limits.Document stops with ErrLimit
//	secrets     no secret is in a trace or an error
//	claims      the Scheme declares what its cases do
//	concurrent  one Scheme works for several Clients at once (run it with -race)
//
// Closing, cut, stall, cancel and corrupt try each byte of the server as the place of the fault; with -short, and of a long dialogue, fewer, and
// those around the bounds of its lines.
//
// Plans, Injection and Fuzz test planning alone. Get and Attach dereference one URI for other tests. Package loopback makes small servers.
// [Relay] is a bad network between a Client and any server: slow, lossy, cut or half open.
// [Network] and [Datagrams] are a network in memory, for a Client and a whole server in one bubble.
package fetchtest
