package help

// Links is `deref help links`.
const Links = `Links: deref check tests the links in pages, texts, Markdown and directories

  deref check links.html notes/ https://site.example/list

It requests each link once, whatever its scheme, in the way that costs the server
least, and looks for fragments in pages. Pages are decoded first, and their links
read as in browsers: a path becomes UTF-8, a query the encoding of the page. A text
that does not declare its encoding stays bytes. check prints what is broken, denied or
unreachable, with the places of the link. "not checkable" (a mail address, a scheme
without a handler) is not broken.

It reads HTML, Markdown, AsciiDoc, reStructuredText, CSS, RSS and Atom feeds,
sitemaps, gemtext, text/uri-list, menus and listings, and in other texts everything
that looks like a URI. What is in a comment or in code is not a link. A fragment of
Markdown or AsciiDoc (b.md#part) must be a heading or an anchor. The summary counts
the files in other formats; -v names them.

A comment in a document excludes lines, in the comment syntax of its format:

  <!-- deref-ignore -->        the links of this line
  <!-- deref-ignore-next -->   those of the next line
  <!-- deref-ignore-start -->  those up to deref-ignore-end

A web page with status 200 for the name of something else (.zip, .png, .txt), or for
.html after a temporary redirect to a host of another site, is "suspect": captive
portals and login pages respond this way. It changes the exit status only with
--fail-suspect. -Z and deref mirror, which also compare the copy on disk, print a
warning instead.

--json, --junit and --cache DIR are for programs. The exit status is that of the first
bad link.
`
