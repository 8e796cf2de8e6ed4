# SPDX-License-Identifier: LGPL-2.1-or-later

# SVCD_HARDENING
# Sets HARDEN_CPPFLAGS, HARDEN_CFLAGS and HARDEN_LDFLAGS to the options that this compiler and linker support. They precede the user's
# own flags (dpkg-buildflags), so the user's flags take precedence. tests/lint/hardening checks the result.
AC_DEFUN([SVCD_TRY_HARDEN_CFLAG], [
	AC_MSG_CHECKING([whether $CC takes $1])
	svcd_saved_cflags=$CFLAGS
	CFLAGS="$CFLAGS -Werror $1"
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
		[AC_MSG_RESULT([yes]); HARDEN_CFLAGS="$HARDEN_CFLAGS $1"],
		[AC_MSG_RESULT([no])])
	CFLAGS=$svcd_saved_cflags
])

AC_DEFUN([SVCD_TRY_HARDEN_LDFLAG], [
	AC_MSG_CHECKING([whether $CC links with $1])
	svcd_saved_ldflags=$LDFLAGS svcd_saved_cflags=$CFLAGS
	LDFLAGS="$LDFLAGS -Werror $1" CFLAGS="$CFLAGS $HARDEN_CFLAGS"
	AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
		[AC_MSG_RESULT([yes]); HARDEN_LDFLAGS="$HARDEN_LDFLAGS $1"],
		[AC_MSG_RESULT([no])])
	LDFLAGS=$svcd_saved_ldflags CFLAGS=$svcd_saved_cflags
])

# Keeps a level that the user or the compiler has set. It has no effect without optimization.
AC_DEFUN([SVCD_TRY_FORTIFY], [
	AC_MSG_CHECKING([whether to define _FORTIFY_SOURCE])
	AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#if defined _FORTIFY_SOURCE || !defined __OPTIMIZE__
# error
#endif
		]])],
		[AC_MSG_RESULT([yes]); HARDEN_CPPFLAGS="-D_FORTIFY_SOURCE=3"],
		[AC_MSG_RESULT([no])])
])

AC_DEFUN([SVCD_HARDENING], [
	AC_ARG_ENABLE([hardening],
		[AS_HELP_STRING([--disable-hardening], [add no hardening options to CFLAGS and LDFLAGS])],
		[], [enable_hardening=yes])
	HARDEN_CPPFLAGS= HARDEN_CFLAGS= HARDEN_LDFLAGS=
	AS_IF([test "x$enable_hardening" != xno], [
		m4_foreach_w([flag], [-fPIE -fstack-protector-strong -fstack-clash-protection -fcf-protection=full
			-mbranch-protection=standard], [SVCD_TRY_HARDEN_CFLAG(flag)])
		m4_foreach([flag], [[-pie], [-Wl,-z,relro], [-Wl,-z,now], [-Wl,-z,noexecstack]], [SVCD_TRY_HARDEN_LDFLAG([flag])])
		# The sanitizers check the same calls, and more of them.
		AS_IF([test "x$enable_sanitizers" != xyes && test "x$enable_coverage" != xyes], [SVCD_TRY_FORTIFY])
	])
	AC_SUBST([HARDEN_CPPFLAGS])
	AC_SUBST([HARDEN_CFLAGS])
	AC_SUBST([HARDEN_LDFLAGS])
])

# SVCD_COMPILER_FLAGS
# Sets WARN_CFLAGS, and SAN_CFLAGS/SAN_LDFLAGS and COV_CFLAGS/COV_LDFLAGS if they are enabled.
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
		# Static run-time libraries, because tests run the programs in roots without these
		# libraries.
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
