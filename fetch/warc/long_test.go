package warc_test

import (
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// The digests of long responses are correct, whether they are computed on the way or by reading the response again. Compressible and
// incompressible payloads are both read back.
func TestDigestsOfLongDocuments(t *testing.T) {
	long(t, "its documents are long")
	dense := make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{}).Read(dense)
	text := make([]byte, len(dense))
	for i := range text {
		text[i] = "What is spoken today is RFC 959.\n"[i%33]
	}
	length := fmt.Sprintf("Content-Length: %d\r\n\r\n", len(text))
	chunk := fmt.Sprintf("Transfer-Encoding:\r\n chunked\r\n\r\n%x\r\n", len(text)) // folded
	for what, answer := range map[string]string{
		"with a length":           "HTTP/1.1 200 OK\r\n" + length + "%s",
		"to the end":              "HTTP/1.1 200 OK\r\n\r\n%s",
		"in chunks":               "HTTP/1.1 200 OK\r\n" + chunk + "%s\r\n0\r\n\r\n",
		"after an interim answer": "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n" + length + "%s",
	} {
		for i, body := range [][]byte{text, dense} {
			page := raw(t, fmt.Sprintf(answer, body)) + "/"
			sum := sha1.Sum(body)
			for _, form := range []string{"a.warc", "a.warc.gz", "a.warc.zst"} {
				name := filepath.Join(t.TempDir(), form)
				capture(t, name, nil, nil, page)
				all := records(t, name)
				if got := all[1].Fields.Get("WARC-Payload-Digest"); got != "sha1:"+base32.StdEncoding.EncodeToString(sum[:]) || len(all) != 3 {
					t.Errorf("%s, %d, %s: got %s %v, want 3 records and the digest of the text", what, i, form, types(all), all[1].Fields)
				}
				checked(t, name)
			}
		}
	}
}
