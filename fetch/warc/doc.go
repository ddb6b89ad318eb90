// Package warc writes and reads archives in the format WARC/1.1 (ISO 28500:2017), for every scheme that a Client supports.
//
//	w, err := warc.Create("site.warc.gz", nil)
//	...
//	client.Recorder = warc.NewRecorder(w)
//	... // dereference, save, mirror: whatever the Client is used for
//	err = w.Close()
//
// and later, without any network, from that archive or from archives of other programs (see Reader),
//
//	a, err := warc.OpenArchive(schemes.All(nil), "site.warc.gz")
//	...
//	client := fetch.New(a.Schemes()...)
//
// # Records
//
// HTTP: each request and response as they crossed the wire, including those of redirects, errors and challenges. HTTP/2 is written as
// HTTP/1.1, with "h2" or "h2c" in WARC-Protocol. The page that comes with an error or redirect is read, up to 64 KiB, only for the archive.
//
// Every other protocol: the document, listing or menu as a resource record; the entries of a listing as a conversion record, in the
// form of fetch.ListingType; and the dialogue as a metadata record of DialogueType. The dialogue omits the content of a long document,
// which has its own record, and anything beyond 16 MiB. Only the document has its URI as the target; the target of the dialogue is
// "urn:dialogue:" and that URI, and the target of the entries is "urn:listing:" and that URI. Both are linked to the document.
//
// TLS: the certificates that a server sent, once in an archive, as a metadata record of CertificatesType, whose target is
// "urn:certificates:" and the URI of the first document. The records of documents refer to it by WARC-Certificates-ID.
//
// With Options.Log, the last record of a file is its log, a metadata record of LogType whose target is "urn:log:" and the file's name.
//
// A reply that nothing has changed, in any protocol, is a revisit record with the profile server-not-modified.
//
// With Options.Known, a document of an earlier archive becomes a revisit record, too, and the conversation about it is left out: the record
// of the dialogue has the outcome only. Known.Schemes requests such documents on the condition that they have changed.
//
// A failure: a metadata record alone, with the dialogue up to the failure and the Kind at its head (see Outcome). A truncated document
// has WARC-Truncated: disconnect, time (a timeout), length (Limits.Document), or unspecified (also for a part that was requested).
// Outcome.Range and Outcome.Selection tell what was requested besides the URI: a range of bytes, a part of a message, or the words of
// a search. For a search over HTTP they are in the URI. A document whose URI has more than 1 MiB is not archived (Options.TooLong).
//
// A payload that the archive contains already, under any URI or scheme, becomes a revisit record. Payload digests are SHA-1 in
// base32, as indexes contain them, and exclude the chunked coding; block digests are SHA-256, and
// SHA-1 in the conversation about a known document.
//
// # Secrets
//
// The dialogue is made from the same Events as every trace. Passwords, Authorization, Cookie and the other secrets of a request
// are written as "***", even where a server repeats them in replies and headers (package fetch describes the exception for common
// words). User names are not secret: an ftp URI needs one to identify its home directory. Documents are never changed, even if the
// server repeats a secret in one; fetch.Client.Repeated is called then. Set-Cookie is written, unless the Client has a jar:
// the value of a cookie in a jar is a credential, and is written as "***".
//
// # Files
//
// A file has the suffix Unfinished until it is complete. It is written record by record, so that a killed program leaves an archive up
// to its last complete record. The records of a document are in the file before its Recording ends; Options.Wait lets them wait for
// others, and a killed program loses those of that time, except those before a Sync, which are on the disk. A file is locked while it
// is written: Options.Resume continues the file of a dead process, never that of a live one. Options.Size continues in another file,
// Options.Index writes a sorted CDXJ next to each. The suffix of the name chooses the form: .gz and .zst compress each record by
// itself. If the disk is full, the Writer's first error reports it, and no file gets the archive's name; the unfinished file can be read.
//
// Until its length and digests are known, a block of up to 512 KiB is held in memory, and a longer one in an unnamed file in the
// archive's directory. Memory does not grow with the number of documents: what later records and the index need of earlier ones is in
// such files, too.
//
// # Cost
//
// The measure is the least that any archiver does: the same retrieval with two digests of every byte. A batch of documents of up to
// 64 KiB takes up to a quarter longer with .warc, and up to a half longer with .warc.gz or .zst. A document of many MiB takes half as
// long again with .warc, because its bytes are stored twice, about as long with .zst, and four times as long with .gz. Compared with a
// retrieval in which the system moves the bytes from the socket into the file, a long document takes two to three times as long with .warc.
//
// BenchmarkRetrieval prints the ratios, and those of wget. BenchmarkRecording measures the archive's own part for 2 KiB.
//
// # Reading
//
// A Reader returns the records of any archive. Check reports violations of the standard. An Archive answers for URIs: the scheme's own
// code reads an archived HTTP response as if the server sent it; other documents, their entries, referrals and failures are
// returned as they were. Before that, the record is read once and its digests are compared. Content codings that the captured request
// accepted are decoded. Damage affects only the damaged record; an earlier capture answers in its place, if there is one. Of several
// captures of a URI the latest successful one is used. A partial capture answers only for that part, and a search only for that search.
package warc
