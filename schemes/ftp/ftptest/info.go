package ftptest

import (
	"io/fs"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// undated is the time of files without one (embed.FS has none): the month of RFC
// 1738.
func undated() time.Time { return time.Date(1994, time.December, 20, 12, 0, 0, 0, time.UTC) }

func modTime(fi fs.FileInfo) time.Time {
	if t := fi.ModTime(); !t.IsZero() {
		return t.UTC()
	}
	return undated()
}

// stamp returns the time-val of RFC 3659 §2.3.
func stamp(t time.Time) string { return t.UTC().Format("20060102150405") }

// regular finds a plain file. If it does not, it sends the reply.
func (x *session) regular(arg string) (abs string, fi fs.FileInfo, ok bool) {
	abs = x.resolve(arg)
	fi, err := x.stat(abs)
	switch {
	case arg == "":
		x.reply(501, "A name is needed")
	case err != nil:
		x.reply(550, loopback.Printable(arg)+": No such file")
	case !fi.Mode().IsRegular():
		x.reply(550, loopback.Printable(arg)+": Not a plain file")
	default:
		return abs, fi, true
	}
	return "", nil, false
}

// cmdSIZE answers in TYPE I only, as proftpd does: RFC 3659 §4 asks for the bytes of a transfer in the current type, which servers do not
// count.
func (x *session) cmdSIZE(arg string) {
	if x.ascii {
		x.reply(550, "SIZE not allowed in ASCII mode")
		return
	}
	if _, fi, ok := x.regular(arg); ok {
		x.reply(213, strconv.FormatInt(fi.Size()+x.f.WrongSize, 10))
	}
}

func (x *session) cmdMDTM(arg string) {
	if _, fi, ok := x.regular(arg); ok {
		x.reply(213, stamp(modTime(fi)))
	}
}

// cmdFEAT lists the extensions (RFC 2389 §3).
func (x *session) cmdFEAT(string) {
	list := []string{"Features:"}
	add := func(have bool, features ...string) {
		if have {
			list = append(list, features...)
		}
	}
	add(x.o.TLS != nil, " AUTH TLS", " PBSZ", " PROT")
	add(!x.o.NoEPSV, " EPRT")
	add(!x.o.NoPASV, " EPSV", " PASV") // QUIRK: vsftpd lists EPSV and refuses it
	add(!x.o.NoMDTM, " MDTM")
	add(!x.o.NoMLSD, " MLST modify*;perm*;size*;type*;UNIX.mode*;")
	add(!x.o.NoREST, " REST STREAM")
	add(!x.o.NoSIZE, " SIZE")
	add(x.hasUTF8(), " UTF8")
	x.reply(211, append(list, "End")...)
}

// hasUTF8 reports whether names can be in UTF-8.
func (x *session) hasUTF8() bool { return x.o.Names == nil || x.o.UTF8OnRequest }

func (x *session) cmdOPTS(arg string) {
	name, rest, _ := strings.Cut(arg, " ")
	switch name = strings.ToUpper(name); {
	case (name == "UTF8" || name == "UTF-8") && x.hasUTF8():
		x.utf8 = !strings.EqualFold(rest, "OFF")
		x.reply(200, "Names are UTF-8")
	default:
		x.reply(501, "No such option")
	}
}

func (x *session) cmdNOOP(string) { x.reply(200, "Nothing done") }
func (x *session) cmdSYST(string) { x.reply(215, "UNIX Type: L8") }
