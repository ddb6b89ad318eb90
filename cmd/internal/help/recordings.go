package help

// Recordings is `deref help recordings`.
const Recordings = `Recordings: --record writes a conversation, --replay dereferences against it

  deref --record talk.txt gopher://gopher.example/0/about.txt
  vi talk.txt                                   # change what the server sends
  deref -v --replay talk.txt gopher://gopher.example/0/about.txt

A recording is a text. C: is a line that the client sent, S: one of the server, *: a step
of the plan or an event. A number tells connections apart (C2:), 0 is for datagrams.

  *: [connected to 192.0.2.1:70]
  C: /about.txt
  S: All about us.
  S: no CRLF follows\n\
  S: \x00 and \xff are bytes, \t is TAB, \\ is a backslash
  *: [end]                                      # the server closes the connection
  *: [cut]                                      # it breaks; [delay 2s] waits

Edit the S: lines, add some, or remove some. --replay feeds them to deref, which contacts
nobody: no name is looked up, and no socket is opened. What deref sends is compared with
the C: lines. Change these too if the changed server makes deref send something else. ***
in one matches any text of a line, such as a password, which is never recorded. A line
"C| LIST" below "C: MLSD" accepts either. Lines that begin with # are comments.

Binary protocols (ldap, snmp, wais, prospero, telnet, rlogin, tn3270) are written with escapes,
and above them each frame in words as a comment. The lengths within a frame must stay right:
replace a text by one of the same length. Lines that begin with C= and S= are base64.

An error names the line of the recording where deref sent something else, sent nothing, or
waited for a reply that is not there:

  deref: protocol: the client did not follow talk.txt: line 3: the client sent
  "/about.txt\r\n", want "/news.txt\r\n"
`
