package help

// Checksums is `deref help checksums`.
const Checksums = `Checksums: verify what arrives, and repair what is damaged

  deref -O --checksum sha256:HEX https://site.example/a.iso
  deref -O --checksum SHA256SUMS https://site.example/a.iso
  deref -O --checksum https://site.example/SHA512SUMS https://site.example/a.iso
  deref -O --checksum a.iso.meta4
  deref -O --checksum server ftp://site.example/a.iso

A file that does not match never gets its name: the error is "changed", exit code 11.
Standard output gets the bytes while they arrive, and the error at their end. A view
(--format) shows what was verified. With -z or -C -, an existing file is verified.

--checksum FILE (a local file, -, or a URI) reads the lines of sha256sum, sha512sum and
md5sum, those of BSD, cksum and openssl, and Metalink 4. The entry is the one whose
name has the most in common with the end of the URI; without one, nothing is fetched.
MD5 and SHA-1 are accepted from files only, with a note: they detect accidents, but
anybody can make another file with the same sum. --checksum sha512:HEX states a digest
on the command line (sha224, sha256, sha384, sha512, sha3-256, ...).

A Metalink document names the sources of its files. They are tried in order until one
has the right file: after that of the command line, or without one. (Several mirrors at
a time are what aria2 is for: aria2c a.iso.meta4.) What has arrived from one source is
continued from the next. The digests of pieces show where a file is damaged, also one that
-C - continues; only those bytes are fetched again. If no source has them, NAME.part stays,
and -C - repairs it later. Sources are treated like links of a web page: they cannot name
files or programs of this machine, and get no passwords.

--checksum server requests the digest from the server itself: Repr-Digest (RFC 9530) or
Digest (RFC 3230) by http, HASH or XSHA256 by ftp. They cover the bytes as they are sent,
so no compression is requested. It detects damage on the way, but not a forged server.
A server that states none is an error (unsupported).
`
