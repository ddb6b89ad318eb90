package help

// ExitCodes is `deref help exit-codes`.
const ExitCodes = `Exit codes

  0    the whole document
  1    any other error
  2    usage: the command line is wrong
  3    refused-url, refused-port, denied: deref refused the request and contacted no server
  4    unsupported: there is no handler for the scheme, or it lacks the operation
  5    dns, connect, connection, tls: the server could not be reached
  6    auth, refused: the server requires other credentials, or forbids the request
  7    notfound: the server has no such object
  8    protocol, decode: the response violates the protocol
  9    truncated, transfer: the document is incomplete
  10   limit, redirect: a limit was exceeded, or a referral may not be followed
  11   range, changed: this part is not available, or the object has changed
  12   timeout
  13   interactive: the first screen was printed; use deref session to attach
  14   local, disk: an error of a file, device or setting on this machine
  15   unavailable: the server refuses temporarily
  130  interrupted by Ctrl-C; 129 by SIGHUP, 143 by SIGTERM

With several URIs, the code is that of the first failure.
`
