package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A lab is the directory of all files, and the servers.
type lab struct {
	settings
	runs                 int // for which a directory was made empty
	root, www, out, home string
	minimal              string // a minimal program that fetches many documents
	http, https          string // host:port of nginx; empty if it is not installed
	ftp                  string // of vsftpd
	proftpd, pureftpd    string // other FTP servers, for mirrors
	gopher               string
	far                  map[string]string // address of a server: that of the same server behind 20 ms
	servers              []*exec.Cmd
	once                 sync.Once
}

// Numbers of documents.
const (
	treeFiles = 3000
	siteFiles = 500
	hosts     = 50
	farDocs   = 2000
)

func newLab(s settings) (l *lab, err error) {
	l = &lab{settings: s}
	if l.root, err = os.MkdirTemp(s.dir, "deref-bench-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	l.www, l.out, l.home = l.root+"/www", l.root+"/out", l.root+"/home"
	return l, errors.Join(os.Chmod(l.root, 0o755), l.content(), l.certificate(), l.buildMinimal(), l.start())
}

func (l *lab) close() {
	l.once.Do(func() {
		for _, s := range l.servers {
			stop(s)
		}
		os.RemoveAll(l.root)
	})
}

// stop ends a server. Its state then has the processor time of all its processes.
func stop(s *exec.Cmd) {
	s.Process.Signal(syscall.SIGTERM)
	s.Wait()
}

// document is the URI path of a small document.
func document(i int) string { return fmt.Sprintf("small/d%05d.txt", i) }

// content writes what the servers serve.
func (l *lab) content() error {
	files := map[string][]byte{"1k.txt": bytes.Repeat([]byte("0123456789abcde\n"), 64)}
	for i := range max(l.docs, farDocs) {
		files[document(i)] = fmt.Appendf(nil, "%s", strings.Repeat(fmt.Sprintf("%08d", i), 256))
	}
	for i := range treeFiles {
		files[fmt.Sprintf("tree/%02d/%02d/f%04d.txt", i/500, i/50%10, i)] = bytes.Repeat([]byte{byte('a' + i%26)}, 1000+i)
	}
	for i := range siteFiles {
		page := fmt.Sprintf("<!DOCTYPE html><html><head><title>Page %d</title></head><body><h1>Page %d</h1>\n", i, i)
		for n := 1; n <= 10; n++ {
			page += fmt.Sprintf("<p>%s <a href=\"p%03d.html\">another page</a></p>\n", strings.Repeat("Some words of a paragraph. ", 8), (i*10+n)%siteFiles)
		}
		files[fmt.Sprintf("site/p%03d.html", i)] = []byte(page + "</body></html>\n")
	}
	files["site/index.html"] = files["site/p000.html"]
	// A listing in minutes of an unknown zone does not show whether a file of the last hours has changed, so a mirror would request each again.
	old := time.Now().AddDate(0, 0, -30)
	for name, data := range files {
		name = filepath.Join(l.www, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, data, 0o644), os.Chtimes(name, old, old)); err != nil {
			return err
		}
	}
	large := filepath.Join(l.www, "large.bin")
	return errors.Join(os.WriteFile(large, nil, 0o644), os.Truncate(large, largeSize), os.MkdirAll(l.out, 0o755), os.MkdirAll(l.home, 0o755), os.MkdirAll(l.root+"/empty", 0o755))
}

// certificate writes a certificate for all addresses of the lab.
func (l *lab) certificate() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	t := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, NotAfter: time.Now().AddDate(1, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, DNSNames: []string{"localhost"}}
	for i := range hosts + 1 {
		t.IPAddresses = append(t.IPAddresses, net.ParseIP(hostName(i)))
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, key.Public(), key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	err = errors.Join(err, writePEM(l.ca(), "CERTIFICATE", der), writePEM(l.root+"/key.pem", "PRIVATE KEY", secret))
	system, _ := os.ReadFile(systemRoots) // start-https-roots is skipped without it
	return errors.Join(err, os.WriteFile(l.roots(), append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), system...), 0o644))
}

func (l *lab) ca() string { return l.root + "/ca.pem" }

// roots are the system's with the certificate.
func (l *lab) roots() string { return l.root + "/roots.pem" }

const systemRoots = "/etc/ssl/certs/ca-certificates.crt"

func writePEM(name, kind string, der []byte) error {
	return os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}

// hostName returns an address of this machine; number 0 is that of the servers themselves.
func hostName(i int) string { return fmt.Sprintf("127.0.%d.%d", min(i, 1), max(i, 1)) }

func (l *lab) buildMinimal() error {
	l.minimal = l.root + "/minimal"
	out, err := exec.Command("go", "build", "-o", l.minimal, "example.org/deref/testdata/bench/minimal").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}
