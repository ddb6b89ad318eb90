// Package dialogue reads, writes and plays conversations of clients and servers as text. `deref -v` shows this format, `deref --record FILE
// URI` writes it, and `deref --replay FILE URI` and fetchtest play it. Users attach it to bug reports.
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
// A line begins with C for the client, S for the server, or * for an event. A number after it names the connection, as in "S2: "; the
// default is connection 1. Empty lines and lines that begin with # are comments.
//
// "C: " and "S: " contain one line that is sent, without its CRLF. The escapes \\, \r, \n, \t and \xHH stand for bytes. A backslash at the
// end means that no CRLF follows: "S: one\n\" ends with a bare LF, and "S: half a li\" continues on the next line.
//
// "C= " and "S= " contain bytes in base64. No CRLF is added.
//
// "C| " is an alternative to the C line above it: the client may send either.
//
// "***" in a C line matches any text within a line. The Recorder writes it for secrets, and tests use it for numbers that change. In a datagram
// it matches any bytes. A longer row of asterisks matches as many bytes, or any text within a line.
//
// On a connection that begins as HTTP/2, only the frames of requests are compared. The order of SETTINGS, WINDOW_UPDATE and PING among them
// varies.
//
// Connection 0 is for datagrams. "C0: " and "S0: " are one datagram each, without CRLF. A backslash at the end means that the datagram
// continues on the next line.
//
// "*: " is followed by a step that was announced (fetch.Conn.Send, fetch.Env.Announce), by a remark in parentheses, or by an event in
// square brackets:
//
//	[connected to HOST:PORT]  the client connects; the port is compared
//	[refused]                 the client connects, and the server refuses
//	[listening on HOST:PORT]  the client waits for a connection from the server
//	[connected from HOST:PORT]  the server connects
//	[TLS ...]                 TLS begins
//	[end]                     the server closes the connection (over TLS with close_notify)
//	[cut]                     the connection breaks: a reset; over TLS an end without close_notify
//	[random 1a2b]             the client draws random bytes that it sends; a replay draws the same bytes
//	[delay 50ms]              the server waits
//	[if CONDITION]            from here on, the condition of a Plan's step holds
//	[whole]                   the document is complete; what follows only ends the session
//
// # Order
//
// A script is played in order, over all connections: the server sends an S line after everything above it has happened. The client may connect
// and send earlier than in the script, so small differences in timing do not matter. Connections are numbered in the order in which they are
// opened. After its last line the server waits for the client to close.
package dialogue
