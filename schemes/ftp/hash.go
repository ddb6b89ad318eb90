package ftp

import (
	"encoding/base64"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/checksum"
)

// setDigest is the setting that requests the digest of a file.
const setDigest = "ftp.want-digest"

// hashes adds the commands for the SHA-256 of a file: HASH (draft-bryan-ftpext-hash-02), and XSHA256, which no document specifies.
//
// QUIRK: proftpd 1.3.8 with mod_digest reads the argument of XSHA256 as words, and accepts quotes around a name with blanks (observed); HASH takes
// the rest of the line. It replies 501 to a name with blanks that is not quoted.
func (b *builder) hashes(name string) {
	if !b.digest || b.ascii {
		return
	}
	b.add("", "OPTS", "HASH", "SHA-256")
	b.add("", "HASH", name)
	if strings.Contains(name, " ") {
		name = `"` + name + `"`
	}
	b.add(ifNoHash, "XSHA256", name)
}

// requestHash carries out the steps before the transfer. If HASH was refused, it sends XSHA256.
func (r *retrieval) requestHash(prepare []fetch.Step) error {
	if err := r.carryOut(prepare); err != nil || r.sum.Sum != nil {
		return err
	}
	return r.carryOut(r.plan.When(ifNoHash))
}

// parseHash returns the digest in the reply to HASH, "SHA-256 0-49 HEX NAME", or to XSHA256, "HEX". It is the zero Digest if there is none.
func parseHash(verb, text string) checksum.Digest {
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.Fields(line)
		switch {
		case verb == "XSHA256" && len(words) == 1:
			if d, err := checksum.ParseHex(checksum.SHA256, words[0]); err == nil {
				return d
			}
		case verb == "HASH" && len(words) >= 3 && strings.HasPrefix(words[1], "0-"):
			if d, err := checksum.ParseHex(checksum.Named(words[0]), words[2]); err == nil {
				return d
			}
		}
	}
	return checksum.Digest{}
}

// digestField returns the digest as the value of Repr-Digest (RFC 9530), the form in which a Document states it.
func digestField(d checksum.Digest) string {
	return string(d.Algorithm) + "=:" + base64.StdEncoding.EncodeToString(d.Sum) + ":"
}
