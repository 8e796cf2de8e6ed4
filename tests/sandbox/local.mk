# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Not part of "make check": these boot svcd as PID 1 and need root. tests/run runs them.

EXTRA_DIST += \
	tests/lib/deadline.py \
	tests/lib/namespaces.py \
	tests/lib/runner.py \
	tests/lib/sandbox.py \
	tests/lib/sandbox_boot.py \
	tests/lib/setup \
	tools/demo.py

EXTRA_DIST += \
	tests/sandbox/long_orphans.py \
	tests/sandbox/long_reexec.py \
	tests/sandbox/test_activations.py \
	tests/sandbox/test_after.py \
	tests/sandbox/test_alternatives.py \
	tests/sandbox/test_bad_files.py \
	tests/sandbox/test_bare_start.py \
	tests/sandbox/test_boot.py \
	tests/sandbox/test_children_of_pid1.py \
	tests/sandbox/test_conflicts.py \
	tests/sandbox/test_container_signals.py \
	tests/sandbox/test_crash_loop.py \
	tests/sandbox/test_ctrl_alt_del.py \
	tests/sandbox/test_ctrl_alt_del_impatient.py \
	tests/sandbox/test_deaf_shutdown.py \
	tests/sandbox/test_deep_chain.py \
	tests/sandbox/test_dependents_are_named.py \
	tests/sandbox/test_drop_in.py \
	tests/sandbox/test_exec_failure.py \
	tests/sandbox/test_execution_settings.py \
	tests/sandbox/test_exit_codes.py \
	tests/sandbox/test_exits_while_away.py \
	tests/sandbox/test_explain.py \
	tests/sandbox/test_facility.py \
	tests/sandbox/test_finale_without_manager.py \
	tests/sandbox/test_flag.py \
	tests/sandbox/test_foreign_signals.py \
	tests/sandbox/test_frozen_cgroup.py \
	tests/sandbox/test_group.py \
	tests/sandbox/test_hostile_environment.py \
	tests/sandbox/test_hostile_names.py \
	tests/sandbox/test_json.py \
	tests/sandbox/test_keeper_crash.py \
	tests/sandbox/test_kernel_command_line.py \
	tests/sandbox/test_log_pipe_again.py \
	tests/sandbox/test_manager_hung.py \
	tests/sandbox/test_manager_killed.py \
	tests/sandbox/test_many_files.py \
	tests/sandbox/test_mounted.py \
	tests/sandbox/test_need_ends.py \
	tests/sandbox/test_new_stop.py \
	tests/sandbox/test_no_descriptors.py \
	tests/sandbox/test_no_descriptors_left.py \
	tests/sandbox/test_no_manager.py \
	tests/sandbox/test_notify_spoof.py \
	tests/sandbox/test_on_lapse.py \
	tests/sandbox/test_one_thread.py \
	tests/sandbox/test_orphans.py \
	tests/sandbox/test_output.py \
	tests/sandbox/test_path_kinds.py \
	tests/sandbox/test_plain_output.py \
	tests/sandbox/test_policy_keys_refused.py \
	tests/sandbox/test_poweroff.py \
	tests/sandbox/test_prepare_fails.py \
	tests/sandbox/test_private_socket.py \
	tests/sandbox/test_random_kills.py \
	tests/sandbox/test_read_only_root.py \
	tests/sandbox/test_ready_exit.py \
	tests/sandbox/test_ready_fd.py \
	tests/sandbox/test_ready_fork.py \
	tests/sandbox/test_ready_notify.py \
	tests/sandbox/test_ready_path.py \
	tests/sandbox/test_real_services.py \
	tests/sandbox/test_reexec.py \
	tests/sandbox/test_reload_files.py \
	tests/sandbox/test_restart.py \
	tests/sandbox/test_run_full.py \
	tests/sandbox/test_runlevel.py \
	tests/sandbox/test_settle.py \
	tests/sandbox/test_spawn_failure.py \
	tests/sandbox/test_start_timeout.py \
	tests/sandbox/test_stop_and_reload_commands.py \
	tests/sandbox/test_stop_kills_cgroup.py \
	tests/sandbox/test_stop_order.py \
	tests/sandbox/test_stop_overtaken.py \
	tests/sandbox/test_task_not_run_twice.py \
	tests/sandbox/test_template.py \
	tests/sandbox/test_terminal.py \
	tests/sandbox/test_tracing_is_no_hang.py \
	tests/sandbox/test_when_path.py \
	tests/sandbox/test_while_service.py
