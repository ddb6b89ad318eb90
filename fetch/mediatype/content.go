package mediatype

import (
	"bytes"
	"strings"
)

// HeadLen is the number of bytes that OfContent inspects.
const HeadLen = 512

// OfContent guesses the type of a document from its first bytes. It returns the format whose signature they begin with, text/plain if all
// of them can be text, and Unknown otherwise.
func OfContent(head []byte) string {
	head = head[:min(len(head), HeadLen)]
	if t := ofMagic(string(head)); t != "" {
		return t
	}
	if isText(head) {
		return "text/plain"
	}
	return Unknown
}

func ofMagic(h string) string {
	for _, m := range [...]struct{ begin, is string }{
		{"GIF87a", "image/gif"}, {"GIF89a", "image/gif"}, {"\x89PNG\r\n\x1a\n", "image/png"}, {"\xff\xd8\xff", "image/jpeg"},
		{"BM", "image/bmp"}, {"II*\x00", "image/tiff"}, {"MM\x00*", "image/tiff"},
		{"%PDF-", "application/pdf"}, {"%!PS", "application/postscript"}, {`{\rtf`, "application/rtf"},
		{"PK\x03\x04", "application/zip"}, {"\x1f\x8b", "application/gzip"}, {"BZh", "application/x-bzip2"}, {"\xfd7zXZ\x00", "application/x-xz"},
		{".snd", "audio/basic"}, {"ID3", "audio/mpeg"}, {"OggS", "audio/ogg"}, {"fLaC", "audio/flac"}, {"MThd", "audio/midi"},
		{"\x1aE\xdf\xa3", "video/webm"}, {"\x00\x00\x01\xba", "video/mpeg"},
	} {
		if strings.HasPrefix(h, m.begin) && (m.begin != "BM" || !isText([]byte(h))) {
			return m.is
		}
	}
	if len(h) < 12 || h[:4] != "RIFF" {
		return ""
	}
	switch h[8:12] {
	case "WAVE":
		return "audio/x-wav"
	case "WEBP":
		return "image/webp"
	case "AVI ":
		return "video/x-msvideo"
	}
	return ""
}

// isText reports whether head has no control characters except those that text uses.
func isText(head []byte) bool {
	return bytes.IndexFunc(head, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' && r != '\b' && r != 0x1b
	}) < 0
}
