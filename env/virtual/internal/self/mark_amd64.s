#include "textflag.h"

// func current() *g
TEXT ·current(SB), NOSPLIT, $0-8
	MOVQ R14, ret+0(FP)
	RET
