package help

// ExitCodes is `deref help exit-codes`.
const ExitCodes = `Exit codes

  0    the whole document
  1    another error
  2    usage
  3    refused-url, refused-port, denied: we refuse, nothing was contacted
  4    unsupported: no handler, or it has no such operation
  5    dns, connect, connection, tls: could not reach the server
  6    auth, refused: the server wants other credentials, or forbids it
  7    notfound: the server has no such object
  8    protocol, decode: what came is not the protocol's
  9    truncated, transfer: the document is not whole
  10   limit, redirect: a bound was passed, or a referral may not be followed
  11   range, changed: that part cannot be had, or the object has changed
  12   timeout
  13   interactive: the first screen was printed; deref session attaches
  14   local, disk: a file, device or setting of this machine
  15   unavailable: the server says not now
  130  interrupted

With several URIs: the first failure's code.
`
