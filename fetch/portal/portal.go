// Package portal recognizes documents that probably come from a captive portal, a login page or a parked name instead of the requested
// server: a web page with status 200 in place of another document. A single document is never certain, so callers only warn.
package portal

import (
	"fmt"
	"net/netip"
	"path"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
)

// Suspect returns why d, which was received for the URI requested, is probably not the requested document, or "". had is the media type of an
// earlier copy, or "". Only URIs with a clear type are judged: a path without an extension, or with that of a program (.php, .cgi), may be
// a page on any host. A status other than 200, such as 511 (RFC 6585 section 6), is an error anyway.
func Suspect(requested uri.URI, d *fetch.Document, had string) string {
	if d == nil || d.NotModified || d.Status != 200 || !mediatype.IsPage(d.Type) {
		return ""
	}
	ext := extension(requested)
	switch {
	case had != "" && !mediatype.IsPage(had):
		return "got a web page in place of " + had
	case slices.Contains(strings.Fields(others), ext) && !isViewer(requested):
		return "got a web page for a name that ends in " + ext
	case had == "" && ext != ".html" && ext != ".htm" && ext != ".xhtml":
		return ""
	case isSentAway(requested, d):
		return fmt.Sprintf("the page comes from another host, %s", d.URI.Hostname())
	}
	return ""
}

func extension(u uri.URI) string { return strings.ToLower(path.Ext(u.Path().Decode())) }

// others are the extensions of documents that are not web pages. Those for which servers commonly show a page, such as .md, are left out, and
// those of possible programs.
const others = `.zip .gz .tgz .bz2 .xz .txz .zst .7z .rar .tar .lz .lzma .cab .jar .war .iso .img .dmg .deb .rpm .apk .msi .exe .bin .pkg .whl
.pdf .ps .eps .djvu .epub .mobi .doc .docx .xls .xlsx .ppt .pptx .odt .ods .odp .rtf
.png .jpg .jpeg .gif .webp .svg .ico .bmp .tif .tiff .avif .heic
.mp3 .ogg .oga .ogv .opus .flac .wav .m4a .mp4 .m4v .webm .mkv .avi .mov .mpg .mpeg
.txt .csv .tsv .json .xml .yaml .yml .toml .ini .log .css .js .mjs .wasm
.woff .woff2 .ttf .otf .eot .asc .sig .md5 .sha1 .sha256 .sha512 .torrent .bib .tex .patch .diff`

// isViewer reports whether u names a page about a document.
//
// QUIRK: https://en.wikipedia.org/wiki/File:Example.jpg is a page of MediaWiki, https://github.com/golang/go/blob/master/favicon.ico one of
// GitHub; GitLab (/-/blob/), cgit (/tree/) and Gitea (/src/) have similar ones.
func isViewer(u uri.URI) bool {
	p := u.Path().Decode()
	return strings.Contains(path.Base(p), ":") || strings.Contains(p, "/blob/") || strings.Contains(p, "/tree/") ||
		strings.Contains(p, "/src/")
}

// isSentAway reports whether d was reached by a redirect to an unrelated host. A permanent redirect indicates a site that has moved: a
// portal does not use one, since clients would remember it (RFC 9110 section 15.4.2).
func isSentAway(requested uri.URI, d *fetch.Document) bool {
	from, to := requested.Hostname(), d.URI.Hostname()
	if len(d.Via) == 0 || related(from, to) {
		return false
	}
	for _, r := range d.Via {
		if strings.HasPrefix(r.Reason, "302") || strings.HasPrefix(r.Reason, "303") || strings.HasPrefix(r.Reason, "307") {
			return true
		}
	}
	return false
}

// related reports whether two hosts are probably of one site: the last two labels of their names agree.
func related(a, b string) bool {
	a, b = strings.ToLower(strings.TrimSuffix(a, ".")), strings.ToLower(strings.TrimSuffix(b, "."))
	if _, err := netip.ParseAddr(a); err == nil {
		return a == b
	}
	return site(a) == site(b)
}

func site(host string) string {
	if i := strings.LastIndexByte(host, '.'); i > 0 {
		return host[strings.LastIndexByte(host[:i], '.')+1:]
	}
	return host
}
