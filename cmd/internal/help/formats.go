// Package help has the texts of `deref help` that no table generates, and writes manual pages.
package help

import (
	"strings"

	"example.org/deref/fetch/render"
)

// Formats is `deref help formats`.
const Formats = `Views: --format VIEW

  raw       the octets as they came; what you get where standard output is no terminal
  text      for reading: listings and menus as a table, HTML as text with numbered links,
            terminal sequences of others made visible; what you get on a terminal
  html      a whole page, valid, without scripts; a document of HTML stands in a frame of it,
            without its scripts and with nothing that loads by itself (raw is as it came)
  json      listings: JSON Lines, an entry each:
              {"uri","title","kind","type","size","modified","attr":{"name":["value"]}}
            what is unknown is left out; a document without entries gives its --json object
  uri-list  one absolute URI a line, each leading to exactly that object (text/uri-list)
  mbox      messages, one behind the other (mboxrd)
  ldif      directory entries (RFC 2849)

--json prints one object about each result on standard output instead of the document,
which goes to -o or -O only:

  uri  final_uri  scheme  protocol  status  reason  type  type_reason  size  offset
  modified  end  search  sha256  path  gaps  piece  pieces  time  connections  fragment
  header{name:[value]}  referrals{uri,reason,followed}  error{class,status,message,hint}

Octets that are not UTF-8 are {"base64": "..."} in JSON.
`

// WriteOut is the part of `deref help formats` on -w.
func WriteOut() string {
	return `
-w FORMAT prints about each result, after it: text, %{VARIABLE}, %header{FIELD}, \n, \t, \r, %%. @FILE
is a file that holds the format, @- standard input. Variables, the last ones in curl's words:

` + Wrap(append(render.Variables(), "exitcode"), "  ", 78)
}

// Wrap sets words in lines.
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
