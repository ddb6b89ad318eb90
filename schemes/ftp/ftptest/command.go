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
	switch name {
	case "USER":
		return (*session).cmdUSER
	case "PASS":
		return (*session).cmdPASS
	case "ACCT":
		return (*session).cmdACCT
	case "REIN":
		return (*session).cmdREIN
	case "QUIT":
		return (*session).cmdQUIT
	case "AUTH":
		return (*session).cmdAUTH
	case "PBSZ":
		return (*session).cmdPBSZ
	case "PROT":
		return (*session).cmdPROT
	case "CCC":
		return (*session).cmdCCC
	case "FEAT":
		return (*session).cmdFEAT
	case "OPTS":
		return (*session).cmdOPTS
	case "NOOP":
		return (*session).cmdNOOP
	case "SYST":
		return (*session).cmdSYST
	case "HELP":
		return (*session).cmdHELP
	}
	return nil
}

// after returns the verbs that need a login.
func after(name string) verb {
	switch name {
	case "CWD", "XCWD":
		return (*session).cmdCWD
	case "CDUP", "XCUP":
		return (*session).cmdCDUP
	case "PWD", "XPWD":
		return (*session).cmdPWD
	case "TYPE":
		return (*session).cmdTYPE
	case "MODE":
		return (*session).cmdMODE
	case "STRU":
		return (*session).cmdSTRU
	case "PASV":
		return (*session).cmdPASV
	case "EPSV":
		return (*session).cmdEPSV
	case "PORT":
		return (*session).cmdPORT
	case "EPRT":
		return (*session).cmdEPRT
	case "REST":
		return (*session).cmdREST
	case "RETR":
		return (*session).cmdRETR
	case "ABOR":
		return (*session).cmdABOR
	case "SIZE":
		return (*session).cmdSIZE
	case "MDTM":
		return (*session).cmdMDTM
	case "MLSD":
		return (*session).cmdMLSD
	case "MLST":
		return (*session).cmdMLST
	case "LIST":
		return (*session).cmdLIST
	case "NLST":
		return (*session).cmdNLST
	case "STAT":
		return (*session).cmdSTAT
	case "ALLO":
		return (*session).cmdALLO
	case "STOR", "STOU", "APPE", "RNFR", "RNTO", "DELE", "RMD", "XRMD", "MKD", "XMKD", "SITE", "MFMT":
		return (*session).cmdWrite
	}
	return nil
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
