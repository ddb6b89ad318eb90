package warc

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"io"
	"strings"
)

// A payloadDigest is the SHA-1 of a payload.
type payloadDigest struct {
	sum  [sha1.Size]byte
	size int64
}

// String returns the labelled digest in base32, as indexes contain it.
func (d payloadDigest) String() string {
	b := base32.StdEncoding.AppendEncode(append(make([]byte, 0, 40), "sha1:"...), d.sum[:])
	return string(b)
}

// digestOf returns the digest of the bytes [from,to) of a spool.
func digestOf(s *spool, from, to int64) payloadDigest {
	d, _ := digest(s.section(from, to))
	return d
}

// digest returns the digest of in, read to its end.
func digest(in io.Reader) (payloadDigest, error) {
	h := sha1.New()
	n, err := io.Copy(h, in)
	return payloadDigest{[sha1.Size]byte(h.Sum(nil)), n}, err
}

// digest256 returns the SHA-256 of the bytes [from,to) of a spool.
func digest256(s *spool, from, to int64) string {
	h := sha256.New()
	io.Copy(h, s.section(from, to))
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// sameProfile is the profile of a revisit with an identical payload (ISO 28500:2017 section 6.7.2).
const sameProfile = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"

// notModifiedProfile is the profile of a revisit to which the server replied that nothing had changed (ISO 28500:2017 section 6.7.3).
const notModifiedProfile = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"

// revisit makes r a revisit of an earlier record, in whatever archive that is. Only its URI may be known.
func (r *Record) revisit(profile string, first Original) {
	r.Fields[0].Value = Revisit
	r.Fields.add("WARC-Profile", profile)
	r.Fields.add("WARC-Refers-To", first.ID)
	r.Fields.add("WARC-Refers-To-Target-URI", first.Target)
	r.Fields.add("WARC-Refers-To-Date", first.Date)
}

// isNotModified reports whether r is a revisit to which the server replied that nothing had changed.
func (r *Record) isNotModified() bool {
	return r.Type() == Revisit && strings.HasSuffix(r.Fields.Get("WARC-Profile"), "/server-not-modified")
}
