// Package dialogue is the text form of a conversation: one format that is at once the transcript of `deref -v`, a golden file,
// what `deref --record FILE URI` writes, what `deref --replay FILE URI` and the scripted server of fetchtest play, and what
// people attach to bug reports.
//
//	# deref gopher://gopher.example/0/about.txt
//	*: [connected to 192.0.2.1:70]
//	*: /about.txt
//	C: /about.txt
//	S: All about us.
//	S: .
//	*: [end]
//
// # Lines
//
// A line begins with who speaks: C the client, S the server, * nobody. A number behind it names the connection, as in "S2: ";
// connection 1 needs none. Empty lines, and those that begin with #, are comments.
//
// "C: " and "S: " carry one line of the conversation, whose CRLF is not written. The escapes \\, \r, \n, \t and \xHH stand for
// octets. A backslash at the end says that no CRLF follows: "S: one\n\" ends in a bare LF, and "S: half a li\" goes on in the
// next line.
//
// "C= " and "S= " carry octets in base64, and nothing is added to them.
//
// "C| " is an alternative to the C line above it: any of them may be said.
//
// "***" in what the client says stands for anything within a line: secrets are recorded so, and numbers that differ each time. In a datagram it
// stands for any octets. A longer row of asterisks stands for as many octets, or for anything within a line.
//
// Of a connection that begins as HTTP/2, the frames that carry requests are compared, and not SETTINGS, WINDOW_UPDATE or PING, whose place
// among them is not the same each time.
//
// Connection 0 carries datagrams: "C0: " and "S0: " are one datagram each, without an implied CRLF; a backslash at the end says
// that the datagram goes on in the next line.
//
// "*: " with words is a step that was announced (fetch.Conn.Send, fetch.Env.Announce), in round brackets a remark, in square brackets what
// happens:
//
//	[connected to HOST:PORT]  the client connects; the port is compared
//	[refused]                 ... and is refused
//	[listening on HOST:PORT]  the client waits for a connection of the server's
//	[connected from HOST:PORT]  the server connects
//	[TLS ...]                 TLS begins
//	[end]                     the server ends the connection in order (over TLS with close_notify)
//	[cut]                     it breaks: a reset, over TLS an end without close_notify
//	[random 1a2b]             the client draws random octets that the server will see: replays draw the same
//	[delay 50ms]              the server waits
//	[if CONDITION]            from here on the condition of a Plan's step holds
//	[whole]                   the document is whole here: what follows is farewell
//
// # Order
//
// A script is played in its order, over all connections: the server says an S line when all above it has happened. The client may
// connect and speak earlier than the script has it, so small differences of timing do no harm. Connections are numbered in the order in which
// they are opened. A server that has nothing more to say waits silently for the client's end.
package dialogue
