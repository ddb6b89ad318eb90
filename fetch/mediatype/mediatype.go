// Package mediatype compares media types, and guesses the type of a document that comes without one: by the suffix of its name, or by its
// first bytes. It does not use the system's own tables, so that the result is the same everywhere.
package mediatype

import "strings"

// Unknown is the type of data about which nothing is known (RFC 2046 section 4.5.1).
const Unknown = "application/octet-stream"

// Essence returns the type and subtype of a media type in lower case, without its parameters: "text/html" for "Text/HTML; charset=utf-8".
// It does not check them.
func Essence(mediaType string) string {
	essence, _, _ := strings.Cut(mediaType, ";")
	return strings.ToLower(strings.TrimSpace(essence))
}

// IsPage reports whether a media type is that of HTML or XHTML.
func IsPage(mediaType string) bool {
	switch Essence(mediaType) {
	case "text/html", "application/xhtml+xml":
		return true
	}
	return false
}

// IsXML reports whether a media type is that of a document of XML (RFC 7303).
func IsXML(mediaType string) bool {
	essence := Essence(mediaType)
	return essence == "text/xml" || essence == "application/xml" || strings.HasSuffix(essence, "+xml")
}

// OfName returns the type that the suffix of a file name or path stands for, and the suffix in lower case with its dot. It returns "" and
// "" if the name has no known suffix.
func OfName(name string) (mediaType, suffix string) {
	name = name[strings.LastIndexByte(name, '/')+1:]
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 || len(name)-dot > longest {
		return "", ""
	}
	suffix = strings.ToLower(name[dot:])
	if t := ofSuffix(suffix[1:]); t != "" {
		return t, suffix
	}
	return "", ""
}

// OfFile returns the type that the suffix of a file name or path stands for, and Unknown if the name has no known suffix.
func OfFile(name string) string {
	if t, _ := OfName(name); t != "" {
		return t
	}
	return Unknown
}

// longest is the length of the longest suffix known, with its dot.
const longest = len(".markdown")

// ofSuffix returns the type of a suffix without its dot, or "".
func ofSuffix(s string) string {
	_, rest, _ := strings.Cut(suffixes, "."+s+".")
	line, _, _ := strings.Cut(rest, "\n")
	return line[strings.LastIndexByte(line, ' ')+1:]
}

// suffixes has a line for each type, with the suffixes between dots.
const suffixes = `.txt.text.log.asc.conf.c.h.go.py.pl.sh.abstract.diff.patch. text/plain
.md.markdown. text/markdown
.adoc.asciidoc. text/asciidoc
.rst. text/x-rst
.html.htm.shtml. text/html
.gmi.gemini. text/gemini
.css. text/css
.csv. text/csv
.ics. text/calendar
.js.mjs. text/javascript
.uu.uue. text/x-uuencode
.eml.mime.mht. message/rfc822
.mbox. application/mbox
.gif. image/gif
.png. image/png
.bmp. image/bmp
.webp. image/webp
.avif. image/avif
.jpg.jpeg.jpe. image/jpeg
.tif.tiff. image/tiff
.svg. image/svg+xml
.ico. image/vnd.microsoft.icon
.xbm. image/x-xbitmap
.xpm. image/x-xpixmap
.au.snd. audio/basic
.mp3. audio/mpeg
.ogg.oga.opus. audio/ogg
.flac. audio/flac
.wav. audio/x-wav
.aif.aiff. audio/x-aiff
.mid.midi. audio/midi
.mpg.mpeg. video/mpeg
.mp4. video/mp4
.webm. video/webm
.mov.qt. video/quicktime
.avi. video/x-msvideo
.pdf. application/pdf
.rtf. application/rtf
.zip. application/zip
.gzip.gz.tgz. application/gzip
.json. application/json
.wasm. application/wasm
.xml.xsl.xsd. application/xml
.xhtml.xht. application/xhtml+xml
.rss. application/rss+xml
.atom. application/atom+xml
.jsonl. application/jsonl
.zst. application/zstd
.bz2. application/x-bzip2
.xz. application/x-xz
.z. application/x-compress
.tar. application/x-tar
.7z. application/x-7z-compressed
.ps.eps.ai. application/postscript
.dvi. application/x-dvi
.hqx. application/mac-binhex40
.doc. application/msword
.epub. application/epub+zip
.warc. application/warc
.bin.exe.dat.iso.img.dmg. application/octet-stream
`
