# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Not part of "make check": these boot svcd as PID 1 and need root. tests/run runs them.

EXTRA_DIST += \
	tests/lib/attack.py \
	tests/lib/attack_set.py \
	tests/lib/boots.py \
	tests/lib/busy.py \
	tests/lib/cgroups.py \
	tests/lib/deadline.py \
	tests/lib/faults.py \
	tests/lib/debs.py \
	tests/lib/polkit.py \
	tests/lib/fake_udev.py \
	tests/lib/fuse_server.py \
	tests/lib/isolate.py \
	tests/lib/listener.py \
	tests/lib/loops.py \
	tests/lib/misread.py \
	tests/lib/namespaces.py \
	tests/lib/no_memory.py \
	tests/lib/raw_bus.py \
	tests/lib/runner.py \
	tests/lib/patience.py \
	tests/lib/plymouthd.py \
	tests/lib/sandbox.py \
	tests/lib/terminal.py \
	tests/lib/open_bus.py \
	tests/lib/own_session.py \
	tests/lib/peers.py \
	tests/lib/private_bus.py \
	tests/lib/random_admin.py \
	tests/lib/sandbox_boot.py \
	tests/lib/setup \
	tests/lib/sysctls.py \
	tests/lib/typing_shell.py \
	tools/demo.py

EXTRA_DIST += \
	tests/sandbox/long_attacks_together.py \
	tests/sandbox/long_boots.py \
	tests/sandbox/long_no_memory.py \
	tests/sandbox/long_no_memory_for_devices.py \
	tests/sandbox/long_no_memory_in_parsers.py \
	tests/sandbox/long_orphans.py \
	tests/sandbox/long_no_false_answer.py \
	tests/sandbox/long_packages.py \
	tests/sandbox/long_pids.py \
	tests/sandbox/long_random_kills.py \
	tests/sandbox/test_attack_sockets.py \
	tests/sandbox/test_login_screen.py \
	tests/sandbox/test_no_false_answer.py \
	tests/sandbox/test_forty_tasks.py \
	tests/sandbox/test_pending_shutdown.py \
	tests/sandbox/test_pidfile_without_cgroups.py \
	tests/sandbox/test_random_hangs.py \
	tests/sandbox/test_reexec_busy.py \
	tests/sandbox/long_reexec.py \
	tests/sandbox/long_unkillable.py \
	tests/lib/hung_fuse.pl \
	tests/sandbox/long_soak.py \
	tests/sandbox/test_activations.py \
	tests/sandbox/test_after.py \
	tests/sandbox/test_after_kill.py \
	tests/sandbox/test_alternatives.py \
	tests/sandbox/test_attack_toolkit.py \
	tests/sandbox/test_attacks_together.py \
	tests/sandbox/test_bad_files.py \
	tests/sandbox/test_bare_start.py \
	tests/sandbox/test_beside_systemd.py \
	tests/sandbox/test_boot.py \
	tests/sandbox/test_boot_that_hangs.py \
	tests/sandbox/test_boot_verb.py \
	tests/sandbox/test_boots.py \
	tests/sandbox/test_bus_activation.py \
	tests/sandbox/test_bus_activation_races.py \
	tests/sandbox/test_check_command.py \
	tests/sandbox/test_boot_durations_bad.py \
	tests/sandbox/test_boot_logs.py \
	tests/sandbox/test_boot_progress.py \
	tests/sandbox/test_boot_result.py \
	tests/sandbox/test_children_of_pid1.py \
	tests/sandbox/test_completion.py \
	tests/sandbox/test_conditions_verb.py \
	tests/sandbox/test_conflicts.py \
	tests/sandbox/test_console_questions.py \
	tests/sandbox/test_container_recipe.py \
	tests/sandbox/test_container_signals.py \
	tests/sandbox/test_crash_loop.py \
	tests/sandbox/test_ctrl_alt_del.py \
	tests/sandbox/test_ctrl_alt_del_impatient.py \
	tests/sandbox/test_dbus_conditions.py \
	tests/sandbox/test_dbus_examples.py \
	tests/sandbox/test_dbus_property.py \
	tests/sandbox/test_deaf_shutdown.py \
	tests/sandbox/test_deep_chain.py \
	tests/sandbox/test_degraded_worlds.py \
	tests/sandbox/test_dependents_are_named.py \
	tests/sandbox/test_disks_full.py \
	tests/sandbox/test_doctor.py \
	tests/sandbox/test_doctor_before_reboot.py \
	tests/sandbox/test_doors.py \
	tests/sandbox/test_doors_of_scripts.py \
	tests/sandbox/test_drop_in.py \
	tests/sandbox/test_dry_run.py \
	tests/sandbox/test_due.py \
	tests/sandbox/test_enable_after_stop.py \
	tests/sandbox/test_exec_failure.py \
	tests/sandbox/test_execution_settings.py \
	tests/sandbox/test_exit_codes.py \
	tests/sandbox/test_exits_while_away.py \
	tests/sandbox/test_explain.py \
	tests/sandbox/test_explain_world.py \
	tests/sandbox/test_facility.py \
	tests/sandbox/test_fast_shutdown.py \
	tests/sandbox/test_files_held.py \
	tests/sandbox/test_files_unread.py \
	tests/sandbox/test_files_with_errors.py \
	tests/sandbox/test_finale_without_helper.py \
	tests/sandbox/test_finale_without_manager.py \
	tests/sandbox/test_first_steps.py \
	tests/sandbox/test_flag.py \
	tests/sandbox/test_forecast.py \
	tests/sandbox/test_forecast_of_unread.py \
	tests/sandbox/test_foreign_signals.py \
	tests/sandbox/test_frozen_cgroup.py \
	tests/sandbox/test_gone_while_lingering.py \
	tests/sandbox/test_group.py \
	tests/sandbox/test_group_restart.py \
	tests/sandbox/test_groups_below.py \
	tests/sandbox/test_hardware_watchdog.py \
	tests/sandbox/test_health.py \
	tests/sandbox/test_held_paths.py \
	tests/sandbox/test_held_programs.py \
	tests/sandbox/test_hostile_bus.py \
	tests/sandbox/test_hostile_environment.py \
	tests/sandbox/test_hostile_files.py \
	tests/sandbox/test_hostile_names.py \
	tests/sandbox/test_hostile_types.py \
	tests/sandbox/test_job_lines.py \
	tests/sandbox/test_json.py \
	tests/sandbox/test_keeper_crash.py \
	tests/sandbox/test_keeper_degraded.py \
	tests/sandbox/test_keeper_faults.py \
	tests/sandbox/test_keeper_faults_at_boot.py \
	tests/sandbox/test_keeper_held.py \
	tests/sandbox/test_keeper_last_resort.py \
	tests/sandbox/test_kernel_command_line.py \
	tests/sandbox/test_late_output.py \
	tests/sandbox/test_least_privilege.py \
	tests/sandbox/test_log_answers.py \
	tests/sandbox/test_log_flood.py \
	tests/sandbox/test_log_of_all.py \
	tests/sandbox/test_log_of_states.py \
	tests/sandbox/test_log_router.py \
	tests/sandbox/test_lost_file.py \
	tests/sandbox/test_init_script_stop_only.py \
	tests/sandbox/test_init_scripts_change.py \
	tests/sandbox/test_instance_forgotten.py \
	tests/sandbox/test_interactive_scripts.py \
	tests/sandbox/test_kill_mode.py \
	tests/sandbox/test_kill_points.py \
	tests/sandbox/test_manager_hung.py \
	tests/sandbox/test_manager_killed.py \
	tests/sandbox/test_main_pid_kept.py \
	tests/sandbox/test_man_pages.py \
	tests/sandbox/test_many_files.py \
	tests/sandbox/test_many_processes.py \
	tests/sandbox/test_monitor.py \
	tests/sandbox/test_mounted.py \
	tests/sandbox/test_need_ends.py \
	tests/sandbox/test_network.py \
	tests/sandbox/test_network_held.py \
	tests/sandbox/test_new_services.py \
	tests/sandbox/test_new_stop.py \
	tests/sandbox/test_new_verb.py \
	tests/sandbox/test_no_descriptors.py \
	tests/sandbox/test_never.py \
	tests/sandbox/test_no_descriptors_left.py \
	tests/sandbox/test_no_manager.py \
	tests/sandbox/test_no_memory.py \
	tests/sandbox/test_no_memory_for_devices.py \
	tests/sandbox/test_no_memory_for_edits.py \
	tests/sandbox/test_no_memory_in_parsers.py \
	tests/sandbox/test_not_for_this_machine.py \
	tests/sandbox/test_not_installed.py \
	tests/sandbox/test_notify_descriptors.py \
	tests/sandbox/test_notify_flood.py \
	tests/sandbox/test_notify_spoof.py \
	tests/sandbox/test_on_lapse.py \
	tests/sandbox/test_one_thread.py \
	tests/sandbox/test_odd_arguments.py \
	tests/sandbox/test_operators.py \
	tests/sandbox/test_orphans.py \
	tests/sandbox/test_output.py \
	tests/sandbox/test_output_attacks.py \
	tests/sandbox/test_owned_flags.py \
	tests/sandbox/test_package_upgrade.py \
	tests/sandbox/test_packages.py \
	tests/sandbox/test_path_elsewhere.py \
	tests/sandbox/test_path_kinds.py \
	tests/sandbox/test_path_of_kernel.py \
	tests/sandbox/test_people_without_root.py \
	tests/sandbox/test_plain_output.py \
	tests/sandbox/test_policy_fallback.py \
	tests/sandbox/test_policy_last_good.py \
	tests/sandbox/test_policy_keys_refused.py \
	tests/sandbox/test_policy_reload_under_load.py \
	tests/sandbox/test_policy_root.py \
	tests/sandbox/test_policy_undo.py \
	tests/sandbox/test_policy_user.py \
	tests/sandbox/test_policy_verbs.py \
	tests/sandbox/test_power_commands.py tests/sandbox/test_poweroff.py \
	tests/sandbox/test_prepare_fails.py \
	tests/sandbox/test_private_socket.py \
	tests/sandbox/test_program_written_in_place.py \
	tests/sandbox/test_progress_on_console.py \
	tests/sandbox/test_random_kills.py \
	tests/sandbox/test_rc_links_policy.py \
	tests/sandbox/test_read_only_root.py \
	tests/sandbox/test_ready_dbus.py \
	tests/sandbox/test_ready_exit.py \
	tests/sandbox/test_ready_fd.py \
	tests/sandbox/test_ready_fork.py \
	tests/sandbox/test_ready_notify.py \
	tests/sandbox/test_ready_path.py \
	tests/sandbox/test_real_services.py \
	tests/sandbox/test_reexec.py \
	tests/sandbox/test_reexec_broken.py \
	tests/sandbox/test_reload.py \
	tests/sandbox/test_reload_files.py \
	tests/sandbox/test_reload_while_generating.py \
	tests/sandbox/test_resources.py \
	tests/sandbox/test_restart.py \
	tests/sandbox/test_root_fs.py \
	tests/sandbox/test_run_full.py \
	tests/sandbox/test_run_removed.py \
	tests/sandbox/test_runlevel.py \
	tests/sandbox/test_runlevel_names.py \
	tests/sandbox/test_runlevel_record.py \
	tests/sandbox/test_runlevel_under_load.py \
	tests/sandbox/test_safety_words.py \
	tests/sandbox/test_sandbox_daemon.py \
	tests/sandbox/test_sandbox_keys.py \
	tests/sandbox/test_sandbox_life.py \
	tests/sandbox/test_script.py \
	tests/sandbox/test_script_daemons.py \
	tests/sandbox/test_script_kills.py \
	tests/sandbox/test_service_last_good.py \
	tests/sandbox/test_settle.py \
	tests/sandbox/test_signal.py \
	tests/sandbox/test_socket_activation.py \
	tests/sandbox/test_socket_dbus.py \
	tests/sandbox/test_socket_address.py \
	tests/sandbox/test_socket_kinds.py \
	tests/sandbox/test_socket_policy.py \
	tests/sandbox/test_spawn_failure.py \
	tests/sandbox/test_start_lock.py \
	tests/sandbox/test_start_means_up.py \
	tests/sandbox/test_start_timeout.py \
	tests/sandbox/test_stop_and_reload_commands.py \
	tests/sandbox/test_stop_kills_cgroup.py \
	tests/sandbox/test_stop_of_removed.py \
	tests/sandbox/test_stop_order.py \
	tests/sandbox/test_stop_overtaken.py \
	tests/sandbox/test_strikes_stop_nothing.py \
	tests/sandbox/test_svcctl_of_users.py \
	tests/sandbox/test_secrets.py \
	tests/sandbox/test_set_policy_by_polkit.py \
	tests/sandbox/test_system_bus.py \
	tests/sandbox/test_sysv_import.py \
	tests/sandbox/test_sysctls.py \
	tests/sandbox/test_sysv_commands.py \
	tests/sandbox/test_take_over.py \
	tests/sandbox/test_task_not_run_twice.py \
	tests/sandbox/test_template.py \
	tests/sandbox/test_tmpfiles_before_scripts.py \
	tests/sandbox/test_udev_held.py \
	tests/sandbox/test_unit_only.py \
	tests/sandbox/test_unlistable.py \
	tests/sandbox/test_unmanaged.py \
	tests/sandbox/test_user_services.py \
	tests/sandbox/test_user_session.py \
	tests/sandbox/test_upgrade_interrupted.py \
	tests/sandbox/test_verbs_walk.py \
	tests/sandbox/test_wait.py \
	tests/sandbox/test_waiting_requests.py \
	tests/sandbox/test_terminal.py \
	tests/sandbox/test_terminal_width.py \
	tests/sandbox/test_processes.py \
	tests/sandbox/test_tracing_is_no_hang.py \
	tests/sandbox/test_trial_boot.py \
	tests/sandbox/test_try.py \
	tests/sandbox/test_udev_device.py \
	tests/sandbox/test_udev_forged.py \
	tests/sandbox/test_udev_hostile.py \
	tests/sandbox/test_udev_label.py \
	tests/sandbox/test_udev_misread.py \
	tests/sandbox/test_udev_overflow.py \
	tests/sandbox/test_udev_restart.py \
	tests/sandbox/test_volume_label.py \
	tests/sandbox/test_volume_stop.py \
	tests/sandbox/test_watchdog.py \
	tests/sandbox/test_when_path.py \
	tests/sandbox/test_while_service.py

# This program replaces the manager's program, and executes the original.
check_PROGRAMS += tests/lib/kill-point
tests_lib_kill_point_SOURCES = tests/lib/kill-point.c

# The program of the hundreds of services in busy.py.
check_PROGRAMS += tests/lib/busy
tests_lib_busy_SOURCES = tests/lib/busy.c
tests_lib_busy_CFLAGS = $(AM_CFLAGS) -fno-sanitize=all
tests_lib_busy_LDFLAGS = -fno-sanitize=all

# Attacks by a user without rights on processes of root. The program is not static, because a static
# program reads /proc at its start, and an attack may hold /proc.
check_PROGRAMS += tests/lib/attack
tests_lib_attack_SOURCES = tests/lib/attack.c
tests_lib_attack_CFLAGS = $(AM_CFLAGS) -fno-sanitize=all
tests_lib_attack_LDFLAGS = -fno-sanitize=all

# This library is preloaded into programs, to make allocations fail. It defines malloc(3), so the
# compiler must not assume the usual behaviour.
check_DATA = tests/lib/no-memory.so
CLEANFILES += tests/lib/no-memory.so
EXTRA_DIST += tests/lib/no-memory.c tests/lib/no-memory.h
tests/lib/no-memory.so: tests/lib/no-memory.c tests/lib/no-memory.h
	$(AM_V_CC)$(MKDIR_P) tests/lib && $(CC) $(DEFS) $(DEFAULT_INCLUDES) $(INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) -std=gnu11 \
		$(WARN_CFLAGS) $(CFLAGS) -fno-builtin -fPIC -shared $(LDFLAGS) -o $@ $(srcdir)/tests/lib/no-memory.c
