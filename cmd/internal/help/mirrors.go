package help

// Mirrors is `deref help mirrors`.
const Mirrors = `Mirrors: deref mirror URI DIR copies what is below a URI and keeps the copy current

  deref mirror ftp://ftp.example/pub/ copy         # run it again at any time
  deref mirror --exclude '*.iso' --delete gopher://gopher.example hole

It copies trees of ftp and file, gopher holes, newsgroups (news:comp.*, one file per
article), http and gemini sites, and the results of a wais search. --span-hosts
also copies what these link to. DIR/.deref/manifest.jsonl lists which URI is in which
file, with its SHA-256 and state. Links in pages, style sheets, SVG and menus point to
the copies; the original documents are below .deref/original. A directory without a page gets an
index.html. The next run continues one that was killed. Files that are not the mirror's
are never touched.

` + patterns + `
Web sites. A browser opens the copy from the disk, without a network:

  deref mirror --adjust-extension --requisites http://www.example/guide/ copy

Links are followed and changed in HTML (also srcset, srcdoc, <style>, style= and <base>),
CSS (url(), @import, image-set()), SVG, XHTML, gemtext and <?xml-stylesheet?>. A link
without a copy becomes an absolute URI. No other byte changes, with three exceptions: a
page or style sheet whose charset only the server's header names gets a <meta charset> or
an @charset; integrity
and crossorigin of what a page embeds become data-integrity and data-crossorigin, since
browsers load no local file with them; and a changed value gets quotes. --adjust-extension
adds .html, .xhtml, .css, .svg, .xml or .gmi to names that lack the extension of their media
type (guide, page.php, style.css?v=2), and .txt to plain text with the name of a page, because
browsers judge files by their names; copies of an earlier run are renamed. --requisites also
copies what pages embed (images, style sheets, fonts, scripts, frames) if --no-parent, --depth
or --include would omit it: such a file is in DIR/elsewhere if it is not below the root.
--requisites-host PATTERN permits other hosts. Browsers do not load module scripts, data that
scripts fetch, manifests, CSS masks, and SVG <use> of another file from a disk. What scripts
alone request (import, fetch, data-src) is not followed.

Archives. --warc writes the documents and their conversations into an archive while they
are copied. --from-warc FILE makes the mirror from archives and contacts no server, for every
scheme: directories, menus, groups and mailboxes are those of the captured listings, and the
manifest has the times of the captures. What was not captured is skipped.

  deref mirror --from-warc site.warc.gz gopher://gopher.example/ hole
  deref warc from-mirror hole -o hole.warc.gz
  deref --from-mirror news news:1994Dec20.1@news.example

deref warc from-mirror DIR -o FILE writes the original documents of a mirror into an archive,
as resource records with the dates, media types and validators of the manifest; listings of
directories and groups are made from the copies. The conversations with the servers, header
fields and addresses are not in it. --from-mirror DIR dereferences any URI of the manifest
without a server: the original document, whose SHA-256 is verified. It works wherever
--from-warc does, also for deref gateway and deref mirror. A news article is found by its
number and by its Message-ID.

Deleting. --delete removes a copy, and lists it, only if a complete listing no
longer contains its name, or if the server says that it has no such object (404, 410, or
FTP reply 550 with "No such file"). If a listing is empty, failed or broken, and for
pages, which are found by links, each copy is requested separately. A copy that
the server does not report as gone is kept and counted. --max-delete N or N% is the
limit (50%; none for a mirror of up to 10 copies): if more copies are gone, none is
deleted, the number is reported, and the exit status is 14. --dry-run lists what would
be deleted. A redirect or a captive portal deletes nothing, and an empty document
that nothing confirms replaces no copy. A root that cannot be read, or that redirects
out of the mirror, is an error.

Names. On Linux a copy keeps the name that it has on the server. Exceptions are control
characters, slashes, ".", "..", the mirror's own names (.deref, .deref-*, *.part,
*.part.json), and names of more than 240 bytes. On Windows, on macOS, and with
--portable-names, every system can hold the names, and bytes that are not UTF-8 are %XX.
--set ftp.charset=cp866 makes the names of such a server UTF-8. If the file system treats two
names as one (README and readme), the second gets a mark (README~c8jtv.txt). Empty
directories are created.

Links. A symbolic link of an ftp or file server becomes a relative link if its target
is in the mirror. Any other link to a file is fetched as that file. A link to a
directory outside the mirror, a broken link or a loop is a warning and counts as omitted;
the exit status stays 0. Nothing is ever written or deleted through a link.
`
