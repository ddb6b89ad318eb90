// Package warc writes and reads archives in the format WARC/1.1 (ISO 28500:2017) of every scheme that a Client speaks.
//
//	w, err := warc.Create("site.warc.gz", nil)
//	...
//	client.Recorder = warc.NewRecorder(w)
//	... // dereference, save, mirror: whatever the Client is used for
//	err = w.Close()
//
// and later, without any network, from it or from archives of other programs (see Reader),
//
//	a, err := warc.OpenArchive(schemes.All(nil), "site.warc.gz")
//	...
//	client := fetch.New(a.Schemes()...)
//
// # What is written
//
// Of HTTP, each request and response as they crossed the wire, those of redirects, refusals and challenges too. HTTP/2 is written as
// HTTP/1.1, with "h2" or "h2c" in WARC-Protocol. A page that comes with a refusal or redirect is read up to 64 KiB for the archive alone.
//
// Of every other protocol the document, listing or menu as a resource record; the entries of a listing as a conversion record, in the
// form of fetch.ListingType; and the conversation as a metadata record of DialogueType. It leaves out what a long document holds
// besides, and of all else what is beyond 16 MiB.
//
// A failure is a metadata record alone: the conversation up to it, whose head names the Kind (see Outcome). A document that is cut short
// has WARC-Truncated: disconnect, time (a timeout), length (Limits.Document), or unspecified (also for a part that was asked for). Outcome.Range and Outcome.Asked say what was asked for besides the URI: a stretch of
// octets, a part of a message, the words of a search; of a search by HTTP the URI has them.
//
// A payload that the same Recorder has stored already, under whatever URI or scheme, is a revisit record. Payload digests are SHA-1 in
// base32, as indexes have them, and are of the payload without the chunked coding; block digests are SHA-256.
//
// # Secrets
//
// What the archive holds of a conversation comes from the same Events as every trace: passwords, Authorization, Cookie and the other
// secrets of a request are "***" in it, where a server repeats them in replies and headers too (package fetch says how, where one is a common
// word). The user's name is no secret, and part of the URI: whose home an
// ftp URI means is told by it. The documents themselves are never changed, also where a server repeats a secret in one:
// fetch.Client.Repeated is told of it. Kept is Set-Cookie, unless the Client has a jar:
// what that takes is a credential from then on, and its value is "***".
//
// # Files
//
// A file has the ending Unfinished until it is whole, and is written record by record: what a killed program leaves is an archive up to
// its last whole record. The records of a document are in the file before its Account has ended; Options.Wait lets them wait for others,
// and what is killed loses those that came within that time, but for those before a Sync, which are on the disk. A file is locked while it
// is written: Options.Resume goes on with what a dead process has left, and never takes up what a live one writes. Options.Size goes on in
// another file, Options.Index writes a sorted CDXJ beside each. The name's ending chooses the form: .gz and .zst compress each record by itself. Where the disk is full the Writer's
// first error says so, and nothing gets the archive's name; what is in the file can be read.
//
// Until its length and digests are known, a block of up to 512 KiB is held in memory, a longer one in a file without a name in the
// archive's folder.
//
// # What it costs
//
// Of processor time, against a retrieval that is among the cheapest that there are: a batch of documents of 2 KiB takes a quarter more with
// .warc, and about twice as much with .warc.gz or .zst, where making the codes for each record (20 and 15 us) is most of it. A document of
// many MiB takes three to seven times as much with .warc: otherwise its octets go from the socket into the file within the system, and
// here they are read, digested twice and stored twice.
//
// BenchmarkRetrieval prints the ratios, and what no archive that holds both digests can be under: the digests alone are a sixteenth of
// the retrieval of 2 KiB, a third of that of 64 KiB and twice that of 64 MiB; a second write of the same octets is a fiftieth, a tenth
// and a half of it. BenchmarkAccount is the archive's own part of 2 KiB: a third of it are the digests.
//
// # Reading
//
// Reader gives the records of any archive; Check says what the standard does not allow. An Archive answers for URIs: an HTTP
// response is read by the scheme's own handler, as if the server were there; other documents, their entries, referrals and failures are
// given as they were. Before that the record is read once and its digests are compared. Content codings that the captured request asked
// for are undone. Damage affects the record that has it; an earlier capture answers in its place, if there is one. Of several captures of a URI the latest that succeeded is the one. What was captured in part answers for that part
// alone, and so does what a search found.
package warc
