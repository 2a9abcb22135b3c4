((from_instruction as: (_) @name) @definition.stage (#set! opens))
((from_instruction (image_spec) @name !as) @definition.stage (#set! opens))
(env_instruction (env_pair name: (_) @name)) @definition.instruction
(arg_instruction name: (_) @name) @definition.instruction
[
  (run_instruction)
  (cmd_instruction)
  (entrypoint_instruction)
  (workdir_instruction)
  (copy_instruction)
  (add_instruction)
  (expose_instruction)
  (volume_instruction)
  (user_instruction)
  (label_instruction)
  (healthcheck_instruction)
  (shell_instruction)
  (stopsignal_instruction)
  (onbuild_instruction)
  (maintainer_instruction)
  (cross_build_instruction)
] @definition.instruction
