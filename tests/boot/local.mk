# SPDX-License-Identifier: LGPL-2.1-or-later

EXTRA_DIST += tests/boot/demo tests/boot/vm tests/boot/long_attacks.py tests/boot/long_screens.py tests/boot/long_network_13.py tests/boot/long_power_cut.py tests/boot/long_sysv_boot.py tests/boot/long_try.py \
	tests/boot/test_machine.py tests/boot/test_network.py tests/boot/test_power_cut.py \
	tests/boot/test_last_resorts.py tests/boot/test_desktop.py tests/boot/desktop_session.py tests/boot/test_rescue.py \
	tests/boot/test_sysv_boot.py tests/boot/test_volumes.py \
	tests/lib/desktop.py tests/lib/greeter_picture.py tests/lib/png.py tests/lib/root tests/lib/script_times.py tests/lib/small_machine.py tests/lib/vm.py tests/lib/vm_image.py
