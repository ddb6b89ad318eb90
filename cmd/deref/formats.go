package main

import (
	"strings"

	"example.org/deref/fetch/render"
)

// unknownFormat is the error of --format.
func unknownFormat(word render.Format) error {
	known := []string{"mbox"}
	for _, f := range render.Formats() {
		known = append(known, string(f))
	}
	return notOneOf("--format "+string(word), string(word), "one of "+strings.Join(known[1:], ", ")+" or mbox is wanted", known)
}

// formatsHelp is `deref help formats`.
const formatsHelp = `Views: --format VIEW

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
