package help

// WARC is the part of `deref help warc` on its operations.
const WARC = `
  ls FILE...               a line for each record: date, type, status, size, media type, URI
  cat FILE [URI|ID...]     the documents of these URIs or records, or of all
  check FILE...            whether each is sound; exit status 8 where one is not
`

// Script is the part of `deref help session` on scripts.
const Script = `
A script has one of these in each line, in order; lines that are void or begin with # are none:

  expect REGEX             wait until the host has said it
  send TEXT                type TEXT and Enter; "..." as in Go for blanks and controls at its ends
  type TEXT                the same without Enter
  key NAME                 enter tab backtab escape backspace home end insert delete up down left right
                           f1 to f24, ctrl-a to ctrl-z; of tn3270 pf1, pa1, clear, attn, sysreq, reset
  timeout SECONDS          how long each expect behind it waits (30)
  sleep SECONDS            wait until the host has said nothing for so long
`
