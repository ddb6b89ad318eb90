package help

// Links is `deref help links`.
const Links = `Links: deref check tests the links in pages, texts, Markdown and directories

  deref check links.html notes/ https://site.example/list
  deref check --recursive --sitemap https://site.example/

It requests each link once, whatever its scheme, in the way that costs the server
least, and looks for fragments in pages. Pages are decoded first, and their links
read as in browsers: a path becomes UTF-8, a query the encoding of the page. A text
that does not declare its encoding stays bytes. check prints what is broken, denied or
unreachable, with the places of the link, in the order of the documents, and files by their
paths. "not checkable" (a mail address, a scheme without a handler, a news URI without a
news host) is not broken. A loop of redirects is.

It reads HTML, XHTML, SVG, CSS, Markdown, AsciiDoc, RSS and Atom feeds, sitemaps,
<?xml-stylesheet?>, gemtext, text/uri-list, menus and listings, and in other texts
everything that looks like a URI. What is in a comment or in code is not a link. A
fragment of Markdown or AsciiDoc (b.md#part) must be a heading or an anchor. The
summary counts the files in other formats; -v names them.

A web page with status 200 for the name of something else (.zip, .png, .txt), or for
.html after a temporary redirect to a host of another site, is "suspect": captive
portals and login pages respond this way. It changes the exit status only with
--fail-suspect. -Z and deref mirror, which also compare the copy on disk, print a
warning instead.

A host that cannot be reached, or that returns 429 or 503, several times in a row gets
no request for half a minute; then its links are tested. One that limits the rate of
requests gets them as slowly as it accepts them (deref help input). Logins for single
hosts come from [host] in the configuration file.

Which links

` + patterns + `
A file .derefignore in the current directory, or in a directory that is checked, has
such patterns, one a line, and paths below it of files that are neither read nor tested:
*.tmp.md, vendor/, sub/a.html. Lines that begin with # are comments. A comment in a
document excludes lines:

  <!-- deref-ignore -->        the links of this line, in the syntax of the format
  <!-- deref-ignore-next -->   those of the next line
  <!-- deref-ignore-start -->  those up to deref-ignore-end

--accept 200..299,403 replaces what counts as good, and --accept PATTERN=200,999 does so
for the links that PATTERN matches. --root-dir says where "/a" is in local files; --base URI
resolves the references of a local file as those of the published one: with a directory,
its files are below that URI.

Whole sites

--recursive reads every page of the given hosts and schemes, each once, and tests the
links to other sites. --depth, --max-count, --hosts and --schemes bound it, and
robots.txt is respected. Bad links come at the end, by page. With --state FILE, an
interrupted run is continued: pages are not read again, and bad links are tested again,
with their first place only.

Repair

--fix prints a patch for the local files that were read: links with permanent redirects
(all of them, to a document that exists), and http links whose https URI has a document
without a redirect. Only the URIs of links are changed, never to a lower security. A link
that is written in another form than its URI stays. "patch -p0" or "git apply -p0" applies
the patch in the current directory. --fix --write changes the files instead.

--suggest finds copies of dead links ("not found", or a host without an address): in an
archive of deref or another program, a.warc.gz, or by the TimeGate of a Memento service
(RFC 7089), whose URI is followed by that of the link, or contains {uri}. It is repeated
for several archives, which are tried in order.

Reports

--json prints an object for each link, and --report FILE.json writes one for the run:

  {"version":1,"results":[RESULT,...],"summary":{...}}

A RESULT has "uri" (the reference as written if it is not a URI), "verdict" ("ok",
"redirected", "suspect", "broken", "denied", "unreachable", "not checkable"),
"final_uri" and "permanent" (after redirects), "class" and "message" (the error),
"suspect" (why), "cached", "known", "time" (seconds), "count" (of places), and
"places", the first of them: "source", "line", "text". The summary has "links",
"verdicts" (numbers by verdict), "excluded", "known", "pages", "unread", "time", and
"class" and "message" of the first new problem. Later versions may add fields.

--report FILE.xml writes JUnit, and --github prints annotations for GitHub Actions.
--baseline FILE compares with an earlier report: a problem that was there in the same
documents is "known", and does not count.

The exit status is that of the first bad link (deref help exit-codes): 7 if it is
broken, 6 if it is denied, 5, 12 or 15 if its host is unreachable; 2 if the command
line is wrong, 14 if a given file cannot be read, 130 after an interruption, and 0 if
there is no new problem.
`
