package http

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"

	"example.org/deref/fetch"
)

// digest answers a Digest challenge: RFC 7616 section 3.4, or RFC 2069 if the server names no quality of protection. The password itself is
// not sent. n counts the answers to this challenge. digest returns "" if it does not support the challenge.
//
// The library icholy/digest is not used: it compares the names of parameters with case, quotes by the rules of Go instead of HTTP, and does
// not support the -sess algorithms.
func digest(c challenge, l fetch.Login, verb, target, cnonce string, n uint32) string {
	algorithm := c.params["algorithm"]
	name, session := strings.CutSuffix(strings.ToLower(algorithm), "-sess")
	h := digestHash(name)
	qop, supported := quality(c.params)
	if h == nil || !supported || c.params["nonce"] == "" {
		return ""
	}
	sum := func(parts ...string) string {
		h.Reset()
		h.Write([]byte(strings.Join(parts, ":")))
		return hex.EncodeToString(h.Sum(nil))
	}
	realm, nonce, user := c.params["realm"], c.params["nonce"], l.User
	a1 := sum(user, realm, l.Password)
	if session {
		a1 = sum(a1, nonce, cnonce)
	}
	a2 := sum(verb, target)
	if qop == "auth-int" {
		a2 = sum(verb, target, sum("")) // the body is empty
	}
	count := fmt.Sprintf("%08x", n)
	response := sum(a1, nonce, count, cnonce, qop, a2)
	if qop == "" {
		response = sum(a1, nonce, a2)
	}
	hashed := strings.EqualFold(c.params["userhash"], "true")
	if hashed {
		user = sum(user, realm)
	}
	b := "Digest username=" + quoted(user) + ", realm=" + quoted(realm) + ", nonce=" + quoted(nonce) + ", uri=" + quoted(target) + `, response="` + response + `"`
	if algorithm != "" {
		b += ", algorithm=" + algorithm
	}
	if opaque, ok := c.params["opaque"]; ok {
		b += ", opaque=" + quoted(opaque)
	}
	if qop != "" || session {
		b += ", cnonce=" + quoted(cnonce)
	}
	if qop != "" {
		b += ", qop=" + qop + ", nc=" + count
	}
	if hashed {
		b += ", userhash=true"
	}
	return b
}

func digestHash(name string) hash.Hash {
	switch name {
	case "", "md5":
		return md5.New()
	case "sha-256":
		return sha256.New()
	case "sha-512-256":
		return sha512.New512_256()
	}
	return nil
}

// quality picks the quality of protection. It prefers "auth", because there is no body for "auth-int" to protect.
func quality(params map[string]string) (qop string, supported bool) {
	list, given := params["qop"]
	if !given {
		return "", true
	}
	for q := range strings.SplitSeq(list, ",") {
		switch strings.ToLower(strings.Trim(q, " \t")) {
		case "auth":
			return "auth", true
		case "auth-int":
			qop = "auth-int"
		}
	}
	return qop, qop != ""
}

// newNonce returns a client nonce, which protects against chosen plaintexts. RFC 7616 section 5.12.
func newNonce() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
