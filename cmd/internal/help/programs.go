package help

// Programs is `deref help programs`.
const Programs = `Programs as handlers

deref x-hello://world runs the program deref-scheme-x-hello, if it is on PATH. Any scheme
without a handler may have such a program. It is run without arguments and without a shell,
and reads from standard input

  deref 1
  uri x-hello://world
  op retrieve                 or metadata, for -I
                              an empty line

and writes lines to standard output:

  step TEXT                   what it will do next, for -v
  type MEDIA/TYPE
  size N                      the size of the document in bytes; any other number is an error
  document                    everything after this line is the document

or, instead of the document,

  refer URI REASON            where the document is available, in order of preference
  entry URI TITLE             an entry of a listing
  done                        after the last refer or entry line

or

  error CLASS TEXT            notfound, auth, refused, unavailable, ... (deref help exit-codes)

Exit status 0 confirms that the output is complete. A server's referral starts a program only
with --allow-x (x- schemes) or --follow-to. Examples in shell and Python: schemes/external/testdata.
`
