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

func ofSuffix(s string) string {
	switch s {
	case "txt", "text", "log", "asc", "conf", "c", "h", "go", "py", "pl", "sh", "abstract", "diff", "patch":
		return "text/plain"
	case "md", "markdown":
		return "text/markdown"
	case "adoc", "asciidoc":
		return "text/asciidoc"
	case "rst":
		return "text/x-rst"
	case "html", "htm", "shtml":
		return "text/html"
	case "gmi", "gemini":
		return "text/gemini"
	case "css":
		return "text/css"
	case "csv":
		return "text/csv"
	case "ics":
		return "text/calendar"
	case "js", "mjs":
		return "text/javascript"
	case "uu", "uue":
		return "text/x-uuencode"
	case "eml", "mime", "mht":
		return "message/rfc822"
	case "mbox":
		return "application/mbox"
	}
	if t := ofMedia(s); t != "" {
		return t
	}
	return ofApplication(s)
}

func ofMedia(s string) string {
	switch s {
	case "gif", "png", "bmp", "webp", "avif":
		return "image/" + s
	case "jpg", "jpeg", "jpe":
		return "image/jpeg"
	case "tif", "tiff":
		return "image/tiff"
	case "svg":
		return "image/svg+xml"
	case "ico":
		return "image/vnd.microsoft.icon"
	case "xbm":
		return "image/x-xbitmap"
	case "xpm":
		return "image/x-xpixmap"
	case "au", "snd":
		return "audio/basic"
	case "mp3":
		return "audio/mpeg"
	case "ogg", "oga", "opus":
		return "audio/ogg"
	case "flac":
		return "audio/flac"
	case "wav":
		return "audio/x-wav"
	case "aif", "aiff":
		return "audio/x-aiff"
	case "mid", "midi":
		return "audio/midi"
	case "mpg", "mpeg":
		return "video/mpeg"
	case "mp4", "webm":
		return "video/" + s
	case "mov", "qt":
		return "video/quicktime"
	case "avi":
		return "video/x-msvideo"
	}
	return ""
}

func ofApplication(s string) string {
	switch s {
	case "pdf", "rtf", "zip", "gzip", "json", "wasm":
		return "application/" + s
	case "xml", "xsl", "xsd":
		return "application/xml"
	case "xhtml", "xht":
		return "application/xhtml+xml"
	case "rss", "atom":
		return "application/" + s + "+xml"
	case "jsonl":
		return "application/jsonl"
	case "gz", "tgz":
		return "application/gzip"
	case "zst":
		return "application/zstd"
	case "bz2":
		return "application/x-bzip2"
	case "xz":
		return "application/x-xz"
	case "z":
		return "application/x-compress"
	case "tar":
		return "application/x-tar"
	case "7z":
		return "application/x-7z-compressed"
	case "ps", "eps", "ai":
		return "application/postscript"
	case "dvi":
		return "application/x-dvi"
	case "hqx":
		return "application/mac-binhex40"
	case "doc":
		return "application/msword"
	case "epub":
		return "application/epub+zip"
	case "warc":
		return "application/warc"
	case "bin", "exe", "dat", "iso", "img", "dmg":
		return Unknown
	}
	return ""
}
