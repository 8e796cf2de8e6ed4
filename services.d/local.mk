# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The services of the machine and their policy: see services.d/README.md.

svcdservicesdir = $(svcdlibdir)/services.d
dist_svcdservices_DATA = \
	services.d/core/boot-progress.svc \
	services.d/core/boot-record.svc \
	services.d/core/checkroot.svc \
	services.d/core/console-setup.svc \
	services.d/core/dm-event.svc \
	services.d/core/hostname.svc \
	services.d/core/hwclock.svc \
	services.d/core/keyboard-setup.svc \
	services.d/core/kmod-static-nodes.svc \
	services.d/core/kmod.svc \
	services.d/core/loopback.svc \
	services.d/core/lvm2-lvmpolld.svc \
	services.d/core/lvm2-monitor.svc \
	services.d/core/machine-id.svc \
	services.d/core/mdadm-degraded.svc \
	services.d/core/packages-recover.svc \
	services.d/core/policy-save.svc \
	services.d/core/procps.svc \
	services.d/core/rc.local.svc \
	services.d/core/rescue.svc \
	services.d/core/shutdown-progress.svc \
	services.d/core/shutdown-record.svc \
	services.d/core/tmpfiles-dev.svc \
	services.d/core/tmpfiles.svc \
	services.d/core/udev-trigger.svc services.d/core/udev-trigger-rest.svc \
	services.d/core/udev.svc \
	services.d/core/urandom.svc services.d/core/urandom-renew.svc \
	services.d/core/utmp.svc \
	services.d/daemons/accounts-daemon.svc \
	services.d/daemons/acpid.svc \
	services.d/daemons/anacron.svc \
	services.d/daemons/apache2.svc \
	services.d/daemons/atd.svc \
	services.d/daemons/autofs.svc \
	services.d/daemons/avahi-daemon.svc \
	services.d/daemons/bluetooth.svc \
	services.d/daemons/chrony.svc \
	services.d/daemons/colord.svc \
	services.d/daemons/containerd.svc \
	services.d/daemons/cron.svc \
	services.d/daemons/cups-browsed.svc \
	services.d/daemons/cups.svc \
	services.d/daemons/dbus.svc \
	services.d/daemons/dnsmasq.svc \
	services.d/daemons/docker.svc \
	services.d/daemons/dovecot.svc \
	services.d/daemons/elogind.svc \
	services.d/daemons/exim4.svc \
	services.d/daemons/fail2ban.svc \
	services.d/daemons/fwupd.svc \
	services.d/daemons/gdm3.svc \
	services.d/daemons/haproxy.svc \
	services.d/daemons/irqbalance.svc \
	services.d/daemons/libvirtd.svc \
	services.d/daemons/lightdm.svc \
	services.d/daemons/lldpd.svc \
	services.d/daemons/mariadb-upgrade.svc \
	services.d/daemons/mariadb.svc \
	services.d/daemons/mdadm.svc \
	services.d/daemons/memcached.svc \
	services.d/daemons/modemmanager.svc \
	services.d/daemons/monit.svc \
	services.d/daemons/named.svc \
	services.d/daemons/network-manager.svc \
	services.d/daemons/networking.svc \
	services.d/daemons/nfs-common.svc \
	services.d/daemons/nfs-idmapd.svc \
	services.d/daemons/nfs-kernel-server.svc \
	services.d/daemons/nfs-mountd.svc \
	services.d/daemons/nfsdcld.svc \
	services.d/daemons/nginx.svc \
	services.d/daemons/nm-dispatcher.svc \
	services.d/daemons/nm-priv-helper.svc \
	services.d/daemons/nmbd.svc \
	services.d/daemons/ntpsec.svc \
	services.d/daemons/openvpn.svc \
	services.d/daemons/openvpn@.svc \
	services.d/daemons/packagekit.svc \
	services.d/daemons/polkit.svc \
	services.d/daemons/postfix.svc \
	services.d/daemons/postgresql.svc \
	services.d/daemons/postgresql@.svc \
	services.d/daemons/power-profiles-daemon.svc \
	services.d/daemons/redis-server.svc \
	services.d/daemons/rpc-gssd.svc \
	services.d/daemons/rpc-pipefs.svc \
	services.d/daemons/rpc-statd.svc \
	services.d/daemons/rpc-svcgssd.svc \
	services.d/daemons/rpcbind.svc \
	services.d/daemons/rsyslog.svc \
	services.d/daemons/rtkit-daemon.svc \
	services.d/daemons/samba-ad-dc.svc \
	services.d/daemons/saned.svc \
	services.d/daemons/sddm.svc \
	services.d/daemons/smartmontools.svc \
	services.d/daemons/smbd.svc \
	services.d/daemons/snmpd.svc \
	services.d/daemons/squid.svc \
	services.d/daemons/ssh-host-keys.svc \
	services.d/daemons/ssh.svc \
	services.d/daemons/switcheroo-control.svc \
	services.d/daemons/tinyproxy.svc \
	services.d/daemons/tor.svc \
	services.d/daemons/udisks2.svc \
	services.d/daemons/unattended-upgrades.svc \
	services.d/daemons/upower.svc \
	services.d/daemons/uuidd.svc \
	services.d/daemons/virtlockd.svc \
	services.d/daemons/virtlogd.svc \
	services.d/daemons/vsftpd.svc \
	services.d/daemons/winbind.svc \
	services.d/daemons/wpa_supplicant.svc \
	services.d/daemons/zabbix-agent.svc \
	services.d/getty@.svc

# These scripts generate the services of a package from its configuration:
# tools/svc-generate/generators.h.
dist_svcdservices_SCRIPTS = \
	services.d/daemons/X11.generate \
	services.d/daemons/openvpn.generate \
	services.d/daemons/postgresql.generate \
	services.d/daemons/samba.generate

svcdpolicydir = $(svcdlibdir)/policy.d
dist_svcdpolicy_DATA = services.d/policy/50-svcd.policy

# The services of users' sessions.
svcduserservicesdir = $(svcdlibdir)/user-services.d
dist_svcduserservices_DATA = \
	services.d/user/pipewire-pulse.svc \
	services.d/user/pipewire.svc \
	services.d/user/wireplumber.svc

svcduserpolicydir = $(svcdlibdir)/user-policy.d
dist_svcduserpolicy_DATA = services.d/user/50-svcd.policy

# Sessions that support XDG's autostart directory run this file; all desktops support it.
autostartdir = $(sysconfdir)/xdg/autostart
nodist_autostart_DATA = services.d/user/svcd-user.desktop
services.d/user/svcd-user.desktop: services.d/user/svcd-user.desktop.in Makefile
	$(AM_V_GEN)$(MKDIR_P) services.d/user && sed 's,[@]rootsbindir[@],$(rootsbindir),' $(srcdir)/services.d/user/svcd-user.desktop.in >$@.new && mv $@.new $@
EXTRA_DIST += services.d/user/svcd-user.desktop.in
CLEANFILES += services.d/user/svcd-user.desktop

# svcd does not read these files; the admin may copy them.
svcdpolicyexamplesdir = $(svcdlibdir)/policy-examples
dist_svcdpolicyexamples_DATA = \
	services.d/policy/60-debian-habits.policy \
	services.d/policy/desktop.policy \
	services.d/policy/laptop-on-train.policy \
	services.d/policy/minimal.policy \
	services.d/policy/ssh-always.policy

svcdbootdir = $(svcdlibdir)/boot
dist_svcdboot_SCRIPTS = \
	services.d/helpers/bus-activation \
	services.d/helpers/clock \
	services.d/helpers/coldplug \
	services.d/helpers/load-modules \
	services.d/helpers/machine-id \
	services.d/helpers/mdadm-degraded \
	services.d/helpers/mount-volume \
	services.d/helpers/networking \
	services.d/helpers/postgresql-cluster \
	services.d/helpers/random-seed \
	services.d/helpers/rescue-shell \
	services.d/helpers/root-fs \
	services.d/helpers/ssh-host-keys \
	services.d/helpers/swap-space \
	services.d/helpers/unmount-volume

tmpfilesdir = $(prefix)/lib/tmpfiles.d
dist_tmpfiles_DATA = services.d/tmpfiles/zz-svcd.conf

EXTRA_DIST += services.d/README.md

# The files contain /usr/lib/svcd; another prefix replaces it.
install-data-hook: install-helper-paths
.PHONY: install-helper-paths
install-helper-paths:
	@test '$(svcdlibdir)' = /usr/lib/svcd || \
		$(SED) -i -e 's|/usr/lib/svcd/|$(svcdlibdir)/|g' -e 's|/usr/bin/svcctl|$(bindir)/svcctl|' \
			'$(DESTDIR)$(svcdservicesdir)'/*.svc

# The programs that the files use.
include tools/svc-activate/local.mk
include tools/svc-generate/local.mk
include tools/svc-progress/local.mk
include tools/svc-utmp/local.mk
