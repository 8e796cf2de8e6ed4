# SPDX-License-Identifier: LGPL-2.1-or-later

# SVCD_COMPILER_FLAGS
# Sets WARN_CFLAGS, and SAN_CFLAGS/SAN_LDFLAGS and COV_CFLAGS/COV_LDFLAGS as the user asked.
AC_DEFUN([SVCD_TRY_FLAG], [
	AC_MSG_CHECKING([whether $CC takes $1])
	svcd_saved_cflags=$CFLAGS
	CFLAGS="$CFLAGS -Werror $1"
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
		[AC_MSG_RESULT([yes]); WARN_CFLAGS="$WARN_CFLAGS $1"],
		[AC_MSG_RESULT([no])])
	CFLAGS=$svcd_saved_cflags
])

AC_DEFUN([SVCD_COMPILER_FLAGS], [
	WARN_CFLAGS=
	m4_foreach_w([flag], [-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
		-Wold-style-definition -Wtype-limits -Wformat=2 -Wundef -Wpointer-arith
		-Wwrite-strings -Wvla -Wimplicit-fallthrough -Wswitch-enum -Wredundant-decls
		-Wnested-externs -Wlogical-op -Wduplicated-cond -Wnull-dereference
		-Wno-unused-parameter -Wno-missing-field-initializers],
		[SVCD_TRY_FLAG(flag)])
	AS_IF([test "x$enable_werror" = xyes], [WARN_CFLAGS="$WARN_CFLAGS -Werror"])
	AC_SUBST([WARN_CFLAGS])

	SAN_CFLAGS= SAN_LDFLAGS=
	AS_IF([test "x$enable_sanitizers" = xyes], [
		# Static run-times: the programs are carried into roots that have no sanitizer library.
		SAN_CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
		SAN_LDFLAGS="-fsanitize=address,undefined -static-libasan -static-libubsan"
		AC_DEFINE([WITH_SANITIZERS], [1], [Built with AddressSanitizer and UBSan])
	])
	AC_SUBST([SAN_CFLAGS])
	AC_SUBST([SAN_LDFLAGS])
	AM_CONDITIONAL([SANITIZERS], [test "x$enable_sanitizers" = xyes])

	COV_CFLAGS= COV_LDFLAGS=
	AS_IF([test "x$enable_coverage" = xyes], [
		COV_CFLAGS="--coverage -O0 -DWITH_COVERAGE"
		COV_LDFLAGS="--coverage"
	])
	AC_SUBST([COV_CFLAGS])
	AC_SUBST([COV_LDFLAGS])
])
