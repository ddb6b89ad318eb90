package help

// ExitCodes is `deref help exit-codes`.
const ExitCodes = `Exit codes

  0    the whole document
  1    any other error
  2    usage: the command line is wrong
  3    refused-url, refused-port, denied: deref refused, and contacted no server
  4    unsupported: the scheme has no handler, or not this operation
  5    dns, connect, connection, tls: the server could not be reached
  6    auth, refused: the server requires other credentials, or forbids the request
  7    notfound: the server has no such object
  8    protocol, decode: the response violates the protocol
  9    truncated, transfer: the document is incomplete
  10   limit, redirect: a limit was exceeded, or a referral may not be followed
  11   range, changed: this part is not available, or the object has changed
  12   timeout
  13   interactive: the first screen was printed; deref session attaches
  14   local, disk: a file, device or setting of this machine
  15   unavailable: the server refuses temporarily
  130  interrupted

With several URIs, the code is that of the first failure.
`
