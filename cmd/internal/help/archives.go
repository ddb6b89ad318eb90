package help

// Archives is `deref help archives`.
const Archives = `Archives: --warc writes every exchange, --from-warc answers from an archive

  deref --warc site.warc.gz --cdx -O ftp://ftp.example/a.txt http://www.example/b.html
  deref warc check site.warc.gz                 # verify the records
  deref --from-warc site.warc.gz ftp://ftp.example/a.txt

--warc FILE writes each exchange of a retrieval, of -Z and of deref mirror into an
archive (WARC/1.1, ISO 28500): the raw messages of HTTP, and for other schemes the
document and its conversation, failures included. Secrets are blanked in the
conversation, but documents are never changed: deref warns if a server repeats a
password in one.

--from-warc FILE dereferences from archives and contacts no server. It reads archives of
deref, wget and other crawlers, and ARC files. Digests are verified before a
record is used. A content coding that the capture requested is undone, with
--compressed any coding. Damage is reported and skipped. FILE may also be a directory, a
pattern such as 'site-*.warc.gz', a WACZ package, or - for standard input. The files in
packages of up to 1 GiB in total are compared with their hashes (deref warc check does so
for any package), and a difference is reported.

An index with the name of the archive (site.cdxj), written by --cdx or another program, is
used if it is not older than the archive, which is then not read to find a document. For the
archives without one, an index is made first: in memory, and if it is longer than 512 KiB in
a temporary file (about 250 bytes for each record, in $TMPDIR). --at DATE uses the captures
nearest to that time; of the same second, also a failure.

deref gateway --from-warc FILE 127.0.0.1:8070 shows the archive to browsers, and is a proxy
for it: what was captured, with the conversation of that time, lists of hosts and days, and
all captures of a URI. Clients may choose a time (Memento, RFC 7089: Accept-Datetime, and
TimeMaps at /-/timemap/SCHEME/HOST/...); links then stay at that time. No server is contacted.

The first record of each file, warcinfo, has the software, the robots policy (classic or
ignore), the command line without secrets, and what --warc-header KEY=VALUE adds, such as
operator, description and isPartOf.

deref warc ls lists the records, and deref warc extract FILE URI writes a document. Others
index, filter, merge, mend and pack archives: deref help warc. The URI of a
conversation is urn:dialogue:URI, of the entries of a listing urn:listing:URI. The name of
FILE ends in .warc, .warc.gz or .warc.zst. --warc-size 1G continues in the next file
when one is full. The file is called FILE.open until it is complete, and it is locked
while it is written. After a full disk or a kill it is readable, except for the last
0.1 s. A run stops if the archive cannot be written. What --state or the manifest of a mirror
calls done is in the archive and synced to disk (at most once a second); after a kill
or Ctrl-C the same command continues with the same archive.

deref gateway --warc FILE 127.0.0.1:8070 archives what readers request as pages and through
the proxy, without their user names, passwords and cookies, and continues FILE if it exists (a
name in a URI, ftp://ann@h/, stays in the URI of the record). https is
archived when it is read as a page (http://127.0.0.1:8070/https/HOST/...): the proxy does not
open tunnels, because it would have to break into TLS to see what they contain.

--warc-dedup FILE does not write again what earlier archives have: it writes revisit records
that refer to them, less than 1 KiB for most documents, without the conversation. FILE is an
index (.cdxj, or .cdx of wget), an archive, or a directory of archives. If the archive itself
is there, servers are asked whether a document has changed where the protocol has a way (ETag
and Last-Modified of HTTP, MDTM and SIZE of FTP, IMAP): one that has not is not transferred,
and is that of the archive. Keep the archives together: one with revisits is read with the
others (--from-warc new.warc.gz --from-warc old.warc.gz).

The records of a capture, by scheme. The document is what a client would save. The target of
the conversation is urn:dialogue:URI, that of the entries (listings, menus, fields) is
urn:listing:URI, and both are linked to the document (WARC-Concurrent-To, WARC-Refers-To).

` + ArchiveTable + `
  1  application/http;msgtype=request and =response, the messages as they were sent
  2  text/x-deref-dialogue;charset=utf-8, the lines of both sides in a metadata record
  3  there is no server: as 2, with only the outcome

Entries are JSON Lines (application/jsonl, deref help formats): in a conversion record, or, if
the protocol has no bytes of a listing, as the document itself. WARC-Protocol is h2 or h2c for
HTTP/2, and a second one names the version of TLS. WARC-IP-Address is the address of the
server, never that of a proxy: it is missing if a proxy looks the name up.
WARC-Truncated tells why a document or its entries are incomplete: disconnect, time, length
(--max-filesize), or unspecified (Ctrl-C, and a part that was requested).

A document is a revisit record if the archive has it already, and if it has not changed. Names
(urn, doi, afs, ...) have only a conversation, with the URI to which they refer; so have
failures. TLS adds the certificates, once (application/pem-certificate-chain,
urn:certificates:URI), to which documents refer by WARC-Certificates-ID. A file ends with the
log of its requests (text/tab-separated-values, urn:log:FILE). An ftp URI is stored as

  WARC-Type: resource                              WARC-Type: metadata
  WARC-Target-URI: ftp://ftp.example/a.txt         WARC-Target-URI: urn:dialogue:ftp://ftp.example/a.txt
  WARC-IP-Address: 192.0.2.21                      WARC-Concurrent-To: <the ID of the resource>
  Content-Type: text/plain                         Content-Type: text/x-deref-dialogue;charset=utf-8
  WARC-Identified-Payload-Type: text/plain
                                                   # uri: ftp://ftp.example/a.txt
  Hello, reader.                                   # outcome: whole
                                                   C: RETR a.txt
                                                   S: 150 Here it comes.

Cost, on two cores: documents of 2 KiB take up to a tenth longer with an archive, those of
64 KiB a quarter. A document of 64 MiB, which is otherwise copied by the system alone, takes
about twice as long with .warc, and two and a half times as long if it is compressed.
`

// ArchiveTable is the table of `deref help archives`. A test compares it with what is recorded for every scheme.
const ArchiveTable = `  schemes                        document  entries     conversation  WARC-Protocol
  http https                     response  -           1             http/1.1
  ftp ftps ftpes                 resource  conversion  2             ftp
  gopher gophers                 resource  conversion  2             gopher
  gemini                         resource  conversion  2             gemini
  news snews nntp                resource  conversion  2             -
  imap imaps mid cid mailto      resource  both        2             -
  spartan nex cso dict tn3270    resource  conversion  2             -
  ldap ldaps x500 snmp           resource  document    2             -
  prospero wais                  resource  document    2             -
  finger whois whois++           resource  -           2             -
  telnet telnets rlogin          resource  -           2             -
  file                           resource  document    3             -
  data                           resource  -           3             -
`
