package ftp

import (
	"path"
	"strings"

	"example.org/deref/fetch/mediatype"
)

// suffixOf returns the media type that the suffix of a name stands for, the suffix, and whether such files are sent in TYPE A where ftp.type is auto:
// "the data format of a file can only, in the general FTP case, be deduced from the name" (RFC 1630, FTP).
func suffixOf(name string) (mediaType, suffix string, text bool) {
	name = "x" + name[strings.LastIndexByte(name, '/')+1:]
	if mediaType, suffix = mediatype.OfName(name); mediaType == "" {
		suffix = strings.ToLower(path.Ext(name))
		mediaType = ofArchives(strings.TrimPrefix(suffix, "."))
	}
	switch mediaType {
	case "application/xml", "application/json", "application/postscript", "application/mac-binhex40", "application/x-tex", "application/x-shar",
		"message/rfc822":
		return mediaType, suffix, true
	}
	return mediaType, suffix, strings.HasPrefix(mediaType, "text/")
}

// ofArchives returns the media types of suffixes that only public archives have.
func ofArchives(suffix string) string {
	switch suffix {
	case "me", "readme", "cc", "cpp", "java", "for", "f", "pas":
		return "text/plain"
	case "rtx":
		return "text/richtext"
	case "tsv":
		return "text/tab-separated-values"
	case "tex", "latex", "ltx":
		return "application/x-tex"
	case "mpe":
		return "video/mpeg"
	case "shar", "zoo", "arc", "lzh", "arj":
		return "application/x-" + suffix
	case "com", "deb", "rpm":
		return mediatype.Unknown
	}
	return ""
}
