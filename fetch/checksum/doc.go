// Package checksum reads the digests that others state about files, and verifies bytes against them while they pass by.
//
//	files, err := checksum.Parse("SHA256SUMS", r)
//	want, err := checksum.Find(files, "/debian/dists/a.iso")
//	v, err := want.Verifier()
//	io.Copy(v, body)
//	err = v.Finish() // nil means that the bytes are those that the digest describes
//
// Parse reads these formats and finds out which one it is:
//
//	GNU        HEX  NAME                 sha256sum, sha512sum, md5sum; "HEX *NAME" for binary mode; a file with only HEX
//	BSD        SHA256 (NAME) = HEX       cksum, BSD's sha256; also as openssl dgst writes it
//	Metalink   <metalink xmlns="...">    RFC 5854, with the sources of each file and the digests of its pieces
//
// Field parses the fields of HTTP: Repr-Digest (RFC 9530) and Digest (RFC 3230). MD5 and SHA-1 detect accidents, but not a forger: see
// Algorithm.IsWeak.
package checksum
