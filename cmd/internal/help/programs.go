package help

// Programs is `deref help programs`.
const Programs = `Programs as handlers

deref x-hello://world runs the program deref-scheme-x-hello, if it is on PATH; any scheme without a handler may have one. No argument is
given, no shell is between. It reads on its standard input

  deref 1
  uri x-hello://world
  op retrieve                 or metadata, for -I
                              an empty line

and answers on its standard output, a line each:

  step TEXT                   what it is about to do, for -v
  type MEDIA/TYPE
  size N                      octets of the document; another number is an error
  document                    all that follows is the document

instead of the document

  refer URI REASON            where the document is to be had, in order of preference
  entry URI TITLE             a line of a listing
  done                        behind the last of them

or

  error CLASS TEXT            notfound, auth, refused, unavailable, ... (deref help exit-codes)

Exit status 0 confirms that all was said. A referral of others reaches a program only with --allow-x (x- schemes) or --follow-to.
Examples in shell and Python: schemes/external/testdata.
`
