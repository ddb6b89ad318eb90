// Package help has the texts of `deref help` that no table generates, and writes manual pages.
package help

import (
	"strings"

	"example.org/deref/fetch/render"
)

// Formats is the first part of `deref help formats`.
const Formats = `Views: --format VIEW

  raw       the unchanged bytes; the default if standard output is not a terminal
  text      for reading: listings and menus as a table, HTML as text with numbered links,
            escape sequences made visible; the default on a terminal
  html      a valid page without scripts; an HTML document is shown in a frame, without its
            scripts and anything that loads automatically (raw prints it unchanged)
  json      listings as JSON Lines, one entry per line:
              {"uri","title","kind","type","size","modified","attr":{"name":["value"]}}
            unknown fields are omitted; for other documents, their --json object
  uri-list  one absolute URI per line (text/uri-list)
  mbox      messages, one after the other (mboxrd)
  ldif      directory entries (RFC 2849)

The views text and html read texts of bulletin boards (.ans, .nfo, .diz) in code page
437, unless they are in UTF-8, and leave out their escape sequences.
On a terminal and in the names of links, characters that hide or reorder text are visible
as \u200b, except for the joiners and selectors that Persian, Hindi and emoji need.

--json prints one object about each result on standard output. The document itself is only
written with -o or -O. The fields are:

  uri  final_uri  scheme  protocol  status  reason  state  type  type_reason  charset
  charset_reason  size  offset  modified  precision  zone  end  search  sha256  path  gaps
  piece  pieces  time  times{redirect,lookup,connect,tls,reply}  connections
  remote  local  method  fragment
  header{name:[value]}  referrals{uri,reason,followed}  error{class,status,message,hint,body}
  deviations{uri,section,where,text} (with --strict)

state is there if there was nothing to write: "not modified" (-z), "modified" (-z -DATE),
"existing" (--skip-existing).

Bytes that are not UTF-8 are {"base64": "..."} in JSON.

Charsets: the views are in UTF-8, and only in UTF-8; on a terminal with another charset use
luit or iconv. The charset of a text is that of --charset, or else of a byte order mark, of
the server's header field, or of the declaration in a page or XML document. If there is none,
deref guesses one for the whole text from up to 4 KiB after its first byte that is not ASCII.
A line of a menu or listing that is clearly in another one is read in that, and a few odd
bytes in UTF-8 are shown as \xNN. -v and --json show a guess; --charset NAME corrects it. The
view raw, and files, have the bytes that were sent.

--charset applies to menus and names in listings, to words of --search (gopher, finger,
whois, http), and to what is typed and shown in deref session, too. A [host] table of the
configuration file may have charset = "NAME" for one server, and --set SCHEME.charset=NAME
is for one scheme. In HTML, only the labels of the Encoding Standard count; in mail and
news, and for --charset, old ones like cp855 or iso-2022-kr are known, too.
`

// WriteOut returns the part of `deref help formats` on -w.
func WriteOut() string {
	return `
-w FORMAT is printed after each result. It consists of text, %{VARIABLE}, %header{FIELD}, \n,
\t, \r and %%. -w @FILE reads it from a file, -w @- from standard input. Times count from
the beginning of the request, with its referrals. After %{stderr} the text goes to standard
error, and after %{onerror} it is printed only for a failure. The variables are, with
curl's names for some:

` + Wrap(append(render.Variables(), "exitcode"), "  ", 78)
}

// Wrap arranges words in lines.
func Wrap(words []string, margin string, width int) string {
	var b strings.Builder
	line := margin
	for _, w := range words {
		if len(line)+len(w)+1 > width {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = margin
		}
		line += w + " "
	}
	return b.String() + strings.TrimRight(line, " ") + "\n"
}
