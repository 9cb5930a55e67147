/** Commands for PowerShell, where the machine has one, by pi's functions. */
import { commandEnvironment, runProgram } from "@tau/sys";
import type { BashOperations } from "@tau/extensions/api";
import { supportLimits as limits } from "@tau/extensions/support";
import { createTool, type OwnTool, type ToolOptions } from "./builtin-tools.ts";
import { getPowerShellConfig } from "./support/paths.ts";
import { withoutDotenv } from "@tau/utils";

export function createLocalPowerShellOperations(): BashOperations {
	return {
		async exec(command, cwd, { onData, signal, timeout, env = withoutDotenv() }) {
			const { shell, args } = getPowerShellConfig();
			const { exitCode } = await runProgram({
				command: [shell, ...args, command],
				cwd,
				env: commandEnvironment(env),
				input: "",
				timeoutMs: timeout === undefined ? limits.execMs : timeout * 1000,
				signal: signal ?? new AbortController().signal,
				onOutput: (chunk) => onData(Buffer.from(chunk)),
				onError: (chunk) => onData(Buffer.from(chunk)),
			});
			return { exitCode: exitCode ?? null };
		},
	};
}

/** The tool for commands, with another shell behind it. */
export function createPowerShellTool(cwd: string, options: ToolOptions<"bash"> = {}): OwnTool {
	const { operations = createLocalPowerShellOperations() } = options;
	const tool = createTool("bash", cwd, { ...options, operations });
	return { ...tool, name: "powershell", label: "PowerShell" };
}
