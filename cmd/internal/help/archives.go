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
--compressed any coding. Damage is reported and skipped.

deref warc ls lists the records, and deref warc cat FILE [URI] writes them. The URI of a
conversation is urn:dialogue:URI, of the entries of a listing urn:listing:URI. The name of
FILE ends in .warc, .warc.gz or .warc.zst. --warc-size 1G continues in the next file
when one is full. The file is called FILE.open until it is complete, and it is locked
while it is written. After a full disk or a kill it is readable, except for the last
0.1 s. A run stops if the archive cannot be written. What --state or the manifest of a mirror
calls done is in the archive and synced to disk (at most once a second); after a kill
or Ctrl-C the same command continues with the same archive.

Cost: for one short document almost nothing with .warc and a tenth with .warc.gz; for
many short ones a fifth, and half as much again if compressed; for long ones, which are
otherwise copied by the system alone, four to twelve times the processor time.
`
