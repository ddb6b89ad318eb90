package ftptest

import (
	"slices"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
)

// command answers one line. Most verbs need a login first (RFC 959 §5.4).
func (x *session) command(line string) {
	name, arg, _ := strings.Cut(line, " ")
	name = strings.ToUpper(name)
	if x.faulty(line) || x.faulty(name) {
		return
	}
	x.recode = x.f.Code[name]
	do, always := x.always()[name]
	if !always {
		do = x.verbs()[name]
	}
	if slices.Contains(strings.Fields(writing), name) {
		do = func(string) { x.reply(550, "This server is read-only") }
	}
	switch {
	case do == nil || x.disabled(name):
		x.reply(500, "Unknown command "+loopback.Printable(name))
	case !always && !x.in:
		x.reply(530, "Please log in with USER and PASS")
	default:
		do(arg)
	}
}

// always returns the verbs that can be sent before the login.
func (x *session) always() map[string]func(arg string) {
	return map[string]func(string){
		"USER": x.cmdUSER, "PASS": x.cmdPASS, "ACCT": x.cmdACCT, "REIN": x.cmdREIN, "QUIT": x.cmdQUIT, "AUTH": x.cmdAUTH, "PBSZ": x.cmdPBSZ,
		"PROT": x.cmdPROT, "FEAT": x.cmdFEAT, "OPTS": x.cmdOPTS, "NOOP": x.cmdNOOP, "SYST": x.cmdSYST,
	}
}

// verbs returns the verbs that need a login.
func (x *session) verbs() map[string]func(arg string) {
	return map[string]func(string){
		"CWD": x.cmdCWD, "XCWD": x.cmdCWD, "CDUP": x.cmdCDUP, "XCUP": x.cmdCDUP, "PWD": x.cmdPWD, "XPWD": x.cmdPWD, "TYPE": x.cmdTYPE,
		"MODE": x.cmdMODE, "STRU": x.cmdSTRU, "PASV": x.cmdPASV, "EPSV": x.cmdEPSV, "PORT": x.cmdPORT, "EPRT": x.cmdEPRT, "REST": x.cmdREST,
		"RETR": x.cmdRETR, "SIZE": x.cmdSIZE, "MDTM": x.cmdMDTM, "MLSD": x.cmdMLSD, "MLST": x.cmdMLST, "LIST": x.cmdLIST,
		"NLST": x.cmdNLST,
	}
}

// disabled reports whether the Options disable the verb.
func (x *session) disabled(name string) bool {
	switch name {
	case "MLSD", "MLST":
		return x.o.NoMLSD
	case "SIZE":
		return x.o.NoSIZE
	case "MDTM":
		return x.o.NoMDTM
	case "REST":
		return x.o.NoREST
	}
	return false
}

// writing has the commands that would change something.
const writing = "STOR STOU APPE RNFR RNTO DELE RMD XRMD MKD XMKD SITE MFMT"
