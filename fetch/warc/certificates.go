package warc

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"sync"
)

// CertificatesType is the type of a record with the certificates of a server: in PEM, its own first (RFC 8555 section 9.1). Any program for
// certificates reads it, and public key pins and transparency logs can be compared later.
const CertificatesType = "application/pem-certificate-chain"

// certificatesPrefix begins the target URI of such a record, before the URI of the first document.
const certificatesPrefix = "urn:certificates:"

// certificatesField refers to the record with the certificates of the connection, as WARC-Warcinfo-ID does to the warcinfo record.
const certificatesField = "WARC-Certificates-ID"

// A chain is the certificates that a server sent.
type chain struct {
	sum [sha256.Size]byte
	der [][]byte
}

// maxChains bounds the chains that are remembered. Beyond it they are written again.
const maxChains = 1 << 14

// chains are the IDs of the records with chains, by their sums.
type chains struct {
	mu sync.Mutex
	at map[[sha256.Size]byte]string
}

// id returns the ID of the record with a chain. isNew reports whether the caller has to write that record.
func (s *chains) id(of *chain) (id string, isNew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id = s.at[of.sum]; id != "" {
		return id, false
	}
	if s.at == nil || len(s.at) >= maxChains {
		s.at = map[[sha256.Size]byte]string{}
	}
	id = newID()
	s.at[of.sum] = id
	return id, true
}

// Certificates implements fetch.Witness.
func (a *recording) Certificates(conn int, list []*x509.Certificate) {
	all := &chain{}
	h := sha256.New()
	for _, x := range list {
		all.der = append(all.der, x.Raw)
		h.Write(x.Raw)
	}
	h.Sum(all.sum[:0])
	a.with(func(c *capture) {
		s := &c.rec.conns
		s.mu.Lock()
		defer s.mu.Unlock()
		s.of(conn).chain = all
	})
}

// certify makes r refer to the certificates of its connection, and makes their record if there is none.
func (c *capture) certify(r *Record, w connection) {
	if w.chain == nil {
		return
	}
	id, isNew := c.rec.chains.id(w.chain)
	r.Fields.add(certificatesField, id)
	if !isNew {
		return
	}
	var text []byte
	for _, der := range w.chain.der {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	x := newRecord(Metadata, certificatesPrefix+c.out.URI, c.start)
	x.setID(id)
	x.Fields.add("WARC-IP-Address", w.ip)
	x.Fields.add("WARC-Concurrent-To", r.ID())
	x.Fields.add("Content-Type", CertificatesType)
	x.put(&spool{mem: text}, 0, int64(len(text)))
	c.chains = append(c.chains, x)
}
