/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys of systemd.exec(5), systemd.resource-control(5) and [Socket]: the keys that svcd has, too,
 * have the same meaning. import_same() looks them up in svcd's own table, so new keys are imported
 * automatically.
 */
#include "config.h"

#include <string.h>

#include "base/text.h"
#include "import-unit/draft.h"

static void rule_accept(Draft *draft, const UnitLine *line)
{
	bool accepts = true;

	if (token_parse_bool(line->value, &accepts) && !accepts)
		draft_imply(draft, line, "the service accepts its connections");
	else
		draft_lose(
			draft, line,
			"svcd does not start a process for each connection; use inetd, or let the "
			"service accept its connections");
}

static void rule_same_or_off(Draft *draft, const UnitLine *line)
{
	bool is_on = true;

	if (token_parse_bool(line->value, &is_on) && !is_on)
		draft_imply(draft, line, "this is the default");
	else
		import_same(draft, line);
}

/* --- older names --- */

static void rule_read_only(Draft *draft, const UnitLine *line)
{
	import_as(draft, line, "ReadOnlyPaths", line->value);
}

static void rule_read_write(Draft *draft, const UnitLine *line)
{
	import_as(draft, line, "ReadWritePaths", line->value);
}

static void rule_inaccessible(Draft *draft, const UnitLine *line)
{
	import_as(draft, line, "InaccessiblePaths", line->value);
}

static void rule_memory_limit(Draft *draft, const UnitLine *line)
{
	import_as(draft, line, "MemoryMax", line->value);
}

#define SAME(key)                         \
	{                                 \
		key, import_same, 0, NULL \
	}
#define SWITCH(key)                            \
	{                                      \
		key, rule_same_or_off, 0, NULL \
	}

const ImportRow import_rows_execution[] = {
	SAME("AllowedCPUs"),
	SAME("AllowedMemoryNodes"),
	SAME("AmbientCapabilities"),
	SAME("AppArmorProfile"),
	SAME("BPFProgram"),
	SAME("BindPaths"),
	SAME("BindReadOnlyPaths"),
	SAME("BlockIOWeight"),
	SAME("CPUAffinity"),
	SAME("CPUQuota"),
	SAME("CPUQuotaPeriodSec"),
	SAME("CPUSchedulingPolicy"),
	SAME("CPUSchedulingPriority"),
	SAME("CPUSchedulingResetOnFork"),
	SAME("CPUShares"),
	SAME("CPUWeight"),
	SAME("CacheDirectory"),
	SAME("CacheDirectoryMode"),
	SAME("CapabilityBoundingSet"),
	SAME("ConfigurationDirectory"),
	SAME("ConfigurationDirectoryMode"),
	SAME("CoredumpFilter"),
	SAME("DeviceAllow"),
	SAME("DevicePolicy"),
	SAME("EnvironmentFile"),
	SAME("ExecPaths"),
	SAME("ExecSearchPath"),
	SAME("ExtensionDirectories"),
	SAME("ExtensionImages"),
	SAME("Group"),
	SAME("IOReadBandwidthMax"),
	SAME("IOSchedulingClass"),
	SAME("IOSchedulingPriority"),
	SAME("IOWeight"),
	SAME("IOWriteBandwidthMax"),
	SAME("IPAddressAllow"),
	SAME("IPAddressDeny"),
	SAME("IPEgressFilterPath"),
	SAME("IPIngressFilterPath"),
	SAME("InaccessiblePaths"),
	SAME("KeyringMode"),
	SAME("LimitAS"),
	SAME("LimitCORE"),
	SAME("LimitCPU"),
	SAME("LimitDATA"),
	SAME("LimitFSIZE"),
	SAME("LimitLOCKS"),
	SAME("LimitMEMLOCK"),
	SAME("LimitMSGQUEUE"),
	SAME("LimitNICE"),
	SAME("LimitNOFILE"),
	SAME("LimitNPROC"),
	SAME("LimitRSS"),
	SAME("LimitRTPRIO"),
	SAME("LimitRTTIME"),
	SAME("LimitSIGPENDING"),
	SAME("LimitSTACK"),
	SAME("LoadCredential"),
	SAME("LoadCredentialEncrypted"),
	SAME("LogsDirectory"),
	SAME("LogsDirectoryMode"),
	SAME("ManagedOOMMemoryPressure"),
	SAME("ManagedOOMPreference"),
	SAME("ManagedOOMSwap"),
	SAME("MemoryHigh"),
	SAME("MemoryLow"),
	SAME("MemoryMax"),
	SAME("MemoryMin"),
	SAME("MemorySwapMax"),
	SAME("MountAPIVFS"),
	SAME("MountFlags"),
	SAME("MountImages"),
	SAME("NUMAMask"),
	SAME("NUMAPolicy"),
	SAME("NetworkNamespacePath"),
	SAME("Nice"),
	SAME("NoExecPaths"),
	SAME("OOMScoreAdjust"),
	SAME("Personality"),
	SAME("ProcSubset"),
	SAME("ProtectHome"),
	SAME("ProtectProc"),
	SAME("ProtectSystem"),
	SAME("ReadOnlyPaths"),
	SAME("ReadWritePaths"),
	SAME("RestrictAddressFamilies"),
	SAME("RestrictFileSystems"),
	SAME("RestrictNamespaces"),
	SAME("RestrictNetworkInterfaces"),
	SAME("RootDirectory"),
	SAME("RootImage"),
	SAME("RuntimeDirectory"),
	SAME("RuntimeDirectoryMode"),
	SAME("RuntimeDirectoryPreserve"),
	SAME("SELinuxContext"),
	SAME("SecureBits"),
	SAME("SetCredential"),
	SAME("SmackProcessLabel"),
	SAME("SocketBindAllow"),
	SAME("SocketBindDeny"),
	SAME("StandardInputData"),
	SAME("StandardInputText"),
	SAME("StartupCPUWeight"),
	SAME("StartupIOWeight"),
	SAME("StateDirectory"),
	SAME("StateDirectoryMode"),
	SAME("SupplementaryGroups"),
	SAME("SystemCallArchitectures"),
	SAME("SystemCallErrorNumber"),
	SAME("SystemCallFilter"),
	SAME("SystemCallLog"),
	SAME("TTYPath"),
	SAME("TasksMax"),
	SAME("TemporaryFileSystem"),
	SAME("TimerSlackNSec"),
	SAME("UMask"),
	SAME("User"),
	SWITCH("IgnoreSIGPIPE"),
	SWITCH("LockPersonality"),
	SWITCH("MemoryDenyWriteExecute"),
	SWITCH("NoNewPrivileges"),
	SWITCH("PrivateDevices"),
	SWITCH("PrivateIPC"),
	SWITCH("PrivateMounts"),
	SWITCH("PrivateNetwork"),
	SWITCH("PrivateTmp"),
	SWITCH("PrivateUsers"),
	SWITCH("ProtectClock"),
	SWITCH("ProtectControlGroups"),
	SWITCH("ProtectHostname"),
	SWITCH("ProtectKernelLogs"),
	SWITCH("ProtectKernelModules"),
	SWITCH("ProtectKernelTunables"),
	SWITCH("RemoveIPC"),
	SWITCH("RestrictRealtime"),
	SWITCH("RestrictSUIDSGID"),
	{ "InaccessibleDirectories", rule_inaccessible, 0, NULL },
	{ "MemoryLimit", rule_memory_limit, 0, NULL },
	{ "ReadOnlyDirectories", rule_read_only, 0, NULL },
	{ "ReadWriteDirectories", rule_read_write, 0, NULL },
	{ .key = NULL },
};

const ImportRow import_rows_socket[] = {
	SAME("Backlog"),
	SAME("BindIPv6Only"),
	SAME("BindToDevice"),
	SAME("Broadcast"),
	SAME("DeferAcceptSec"),
	SAME("DirectoryMode"),
	SAME("ExecStartPost"),
	SAME("ExecStartPre"),
	SAME("ExecStopPost"),
	SAME("ExecStopPre"),
	SAME("FileDescriptorName"),
	SAME("FreeBind"),
	SAME("IPTOS"),
	SAME("IPTTL"),
	SAME("KeepAlive"),
	SAME("KeepAliveIntervalSec"),
	SAME("KeepAliveProbes"),
	SAME("KeepAliveTimeSec"),
	SAME("ListenDatagram"),
	SAME("ListenFIFO"),
	SAME("ListenMessageQueue"),
	SAME("ListenNetlink"),
	SAME("ListenSequentialPacket"),
	SAME("ListenSpecial"),
	SAME("ListenStream"),
	SAME("ListenUSBFunction"),
	SAME("Mark"),
	SAME("MaxConnections"),
	SAME("MaxConnectionsPerSource"),
	SAME("MessageQueueMaxMessages"),
	SAME("NoDelay"),
	SAME("PassCredentials"),
	SAME("PassSecurity"),
	SAME("PipeSize"),
	SAME("Priority"),
	SAME("ReceiveBuffer"),
	SAME("RemoveOnStop"),
	SAME("ReusePort"),
	SAME("SELinuxContextFromNet"),
	SAME("SendBuffer"),
	SAME("SocketGroup"),
	SAME("SocketMode"),
	SAME("SocketProtocol"),
	SAME("SocketUser"),
	SAME("Symlinks"),
	SAME("TCPCongestion"),
	SAME("TimeoutSec"),
	SAME("Timestamping"),
	SAME("Transparent"),
	SAME("TriggerLimitBurst"),
	SAME("TriggerLimitIntervalSec"),
	SAME("Writable"),
	{ "Accept", rule_accept, 0, NULL },
	{ "Service", NULL, IMPORT_IMPLIED,
	  "the socket belongs to the service that it is imported with" },
	{ .key = NULL },
};
