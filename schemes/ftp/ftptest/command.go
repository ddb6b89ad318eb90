package ftptest

import (
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
)

// verb implements a command.
type verb func(x *session, arg string)

// command answers one line. Most verbs need a login first (RFC 959 §5.4).
func (x *session) command(line string) {
	name, arg, _ := strings.Cut(line, " ")
	name = strings.ToUpper(name)
	if x.faulty(line) || x.faulty(name) {
		return
	}
	x.recode = x.f.Code[name]
	if do := before(name); do != nil {
		do(x, arg)
		return
	}
	do := after(name)
	switch {
	case do == nil || x.disabled(name):
		x.reply(500, "Unknown command "+loopback.Printable(name))
	case !x.in:
		x.reply(530, "Please log in with USER and PASS")
	default:
		do(x, arg)
	}
}

// before returns the verbs that can be sent before the login.
func before(name string) verb {
	return map[string]verb{
		"USER": (*session).cmdUSER, "PASS": (*session).cmdPASS, "ACCT": (*session).cmdACCT, "REIN": (*session).cmdREIN,
		"QUIT": (*session).cmdQUIT, "AUTH": (*session).cmdAUTH, "PBSZ": (*session).cmdPBSZ, "PROT": (*session).cmdPROT,
		"CCC": (*session).cmdCCC, "FEAT": (*session).cmdFEAT, "OPTS": (*session).cmdOPTS, "NOOP": (*session).cmdNOOP,
		"SYST": (*session).cmdSYST, "HELP": (*session).cmdHELP,
	}[name]
}

// after returns the verbs that need a login.
func after(name string) verb {
	return map[string]verb{
		"CWD": (*session).cmdCWD, "XCWD": (*session).cmdCWD, "CDUP": (*session).cmdCDUP, "XCUP": (*session).cmdCDUP, "PWD": (*session).cmdPWD,
		"XPWD": (*session).cmdPWD, "TYPE": (*session).cmdTYPE, "MODE": (*session).cmdMODE, "STRU": (*session).cmdSTRU,
		"PASV": (*session).cmdPASV, "EPSV": (*session).cmdEPSV, "PORT": (*session).cmdPORT, "EPRT": (*session).cmdEPRT,
		"REST": (*session).cmdREST, "RETR": (*session).cmdRETR, "ABOR": (*session).cmdABOR, "SIZE": (*session).cmdSIZE,
		"MDTM": (*session).cmdMDTM, "MLSD": (*session).cmdMLSD, "MLST": (*session).cmdMLST, "LIST": (*session).cmdLIST,
		"NLST": (*session).cmdNLST, "STAT": (*session).cmdSTAT, "ALLO": (*session).cmdALLO, "STOR": (*session).cmdWrite,
		"STOU": (*session).cmdWrite, "APPE": (*session).cmdWrite, "RNFR": (*session).cmdWrite, "RNTO": (*session).cmdWrite,
		"DELE": (*session).cmdWrite, "RMD": (*session).cmdWrite, "XRMD": (*session).cmdWrite, "MKD": (*session).cmdWrite,
		"XMKD": (*session).cmdWrite, "SITE": (*session).cmdWrite, "MFMT": (*session).cmdWrite,
	}[name]
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

// cmdWrite refuses commands that would change anything.
func (x *session) cmdWrite(string) { x.reply(550, "This server is read-only") }
