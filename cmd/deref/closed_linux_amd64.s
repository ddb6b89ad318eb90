//go:build !go1.27

#include "textflag.h"

// closedMask has the bit 1<<n if the descriptor n was closed when the program began.
GLOBL closedMask<>(SB), NOPTR, $4

// _rt0_amd64_linux is where the system enters the program. It looks at the standard descriptors before the runtime does, which opens
// /dev/null in place of those that are closed (runtime.checkfds), so that nothing tells afterwards that what is written there is lost:
// /dev/null may also be the user's wish. It then goes on as the runtime's own entry does. DUPOK lets the linker have both; it takes the
// longer one. That is not documented, so the file is built only for the releases of Go with which it was tested (TestScripts/closed). A
// program that is linked by the system's linker begins elsewhere, and has no bits set.
TEXT _rt0_amd64_linux(SB), NOSPLIT|NOFRAME|DUPOK, $0
	XORL	BX, BX
next:
	MOVL	BX, DI
	MOVL	$1, SI     // F_GETFD
	MOVL	$72, AX    // fcntl
	SYSCALL
	CMPQ	AX, $-9    // EBADF
	JNE	open
	BTSL	BX, closedMask<>(SB)
open:
	INCL	BX
	CMPL	BX, $3
	JLT	next
	JMP	_rt0_amd64(SB)

// func closedMask() uint32
TEXT ·closedMask(SB), NOSPLIT, $0-4
	MOVL	closedMask<>(SB), AX
	MOVL	AX, ret+0(FP)
	RET
