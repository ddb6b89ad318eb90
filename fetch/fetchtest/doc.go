// Package fetchtest tests handlers of any scheme, in the manner of testing/fstest:
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
// A case is a URI and the dialogue that dereferences it, in the format of package dialogue: the one that `deref -v` shows, `deref
// --record FILE URI` writes and `deref --replay FILE URI` plays, so a bug report's dialogue is a test case as it stands. No network is
// touched; a Case may be Live instead and lead to a server that is really there.
//
// Each case goes through these checks, each under a watchdog. Unless the Case is Live, each check runs in a bubble of its own (testing/synctest), where
// timeouts take no real time: a Handler must not keep channels, timers or goroutines from one request to the next.
//
//	plan        Plan is pure and contacts nobody
//	injection   CR, LF and NUL in any part of the URI are refused, or do not reach a line
//	dialogue    exactly the scripted octets are said, in turn
//	document    Size, Type, End are set and true
//	steps       what is said is the Plan: unconditional steps in order, conditional ones only once [if CONDITION] holds
//	trace       the trace is what crossed the wire
//	fragment    a fragment is given back and not sent
//	reading     read whole, in part, not at all, closed twice, as entries: the same document, nothing left
//	leaks       no goroutine, connection or descriptor is left
//	cut         the server ends at every octet: an error of the right kind, never a short document that looks whole
//	stall       a server that falls silent is given up in time
//	network     a slow network that loses packets changes nothing; a connection that it cuts or leaves half open is an error in bounded time
//	cancel      a cancelled request returns at once and says so
//	corrupt     wrong octets cause neither a panic nor an endless wait
//	limit       a document longer than Limits.Document stops
//	secrets     no secret in a trace or error
//	concurrent  one Handler works for several Clients at once (run it with -race)
//
// [Relay] is a bad network between any client and any server: slow, lossy, cut off or half open.
package fetchtest
