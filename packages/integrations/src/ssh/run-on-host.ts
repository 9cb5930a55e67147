/** Runs a command in the shell of a host: connected with the first command, ended with the session. */
import type { AgentToolResult } from "@tau/agent";
import { settingsLimits } from "@tau/config/settings";
import type { Machine, MachineShellSession } from "@tau/sys";
import { SshConnection, sshMachine, type SshDestination } from "@tau/machines/ssh";
import { abortable, listen } from "@tau/utils";

import { CommandRun, commandReport as report } from "@tau/tools/bash";
import { liveUpdates } from "@tau/tools/output";
import { type ToolContext, errorResult, textResult, type ServiceKey } from "@tau/tools/tool";
import type { Arguments, SshHosts } from "./tool.ts";

export async function runOnHost(
	args: Arguments,
	context: ToolContext,
	ssh: SshHosts | undefined,
): Promise<AgentToolResult> {
	const { host, command, timeout } = args;
	const { settings } = context;
	if (!ssh) return errorResult("Hosts cannot be reached by ssh in this session.");
	const { hosts } = await ssh.hosts();
	const destination = hosts.find(({ name }) => name === host);
	if (host === undefined || !destination) return hostList(hosts, host);
	if (!command) return errorResult("Say which command to run.");
	try {
		const place = await context.services.get(hostShells, context).get(ssh, destination, context.signal);
		const before = place.shell.cwd;
		const seconds = Math.min(
			Math.max(timeout ?? settings.get("bash.timeoutSeconds"), 1),
			settingsLimits.bashTimeoutMaxSeconds,
		);
		const options = { command, seconds, pty: false, beside: false, ...(args.cwd ? { cwd: args.cwd } : {}) };
		const run = new CommandRun(options, place.shell, { ...context, machine: place.machine });
		using live = liveUpdates(() => context.update(textResult(run.output.live())));
		run.onOutput = () => live.changed();
		using _abort = listen(context.signal, "abort", () => run.stop());
		if (context.signal.aborted) run.stop();
		return report(run, await run.ended, before, context);
	} catch (error) {
		context.signal.throwIfAborted();
		return errorResult(error instanceof Error ? error.message : String(error));
	}
}

/** Hosts come from the user's configuration, never from a model. */
function hostList(hosts: readonly SshDestination[], wanted: string | undefined): AgentToolResult {
	const none = "No hosts are configured. The user can add them to ~/.tau/agent/ssh.json or ~/.ssh/config.";
	const rows = hosts.map(({ name, description }) => (description ? `${name}: ${description}` : name));
	const list = rows.length === 0 ? none : rows.join("\n");
	if (wanted === undefined) return textResult(list);
	return errorResult(`${JSON.stringify(wanted)} is not a configured host. Hosts:\n${list}`);
}

interface HostShell {
	readonly connection: SshConnection;
	readonly machine: Machine;
	readonly shell: MachineShellSession;
}

class HostShells implements AsyncDisposable {
	readonly #shells = new Map<string, Promise<HostShell>>();

	/** Rejects with a readable reason; the next call tries again. */
	async get(ssh: SshHosts, destination: SshDestination, signal: AbortSignal): Promise<HostShell> {
		const { name } = destination;
		const opening = this.#shells.get(name) ?? open(ssh, destination);
		this.#shells.set(name, opening);
		opening.catch(() => this.#shells.delete(name));
		return await abortable(opening, signal);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const opening of this.#shells.values()) {
			const opened = await opening.catch(() => undefined);
			await opened?.shell[Symbol.asyncDispose]();
			await opened?.connection[Symbol.asyncDispose]();
		}
	}
}

async function open(ssh: SshHosts, destination: SshDestination): Promise<HostShell> {
	const connection = new SshConnection(ssh.options(destination));
	try {
		const { home } = await connection.facts();
		const machine = sshMachine(connection);
		return { connection, machine, shell: machine.shell.session({ cwd: home, env: {} }) };
	} catch (error) {
		await connection[Symbol.asyncDispose]();
		throw error;
	}
}

const hostShells: ServiceKey<HostShells> = { name: "shells of hosts", create: () => new HostShells() };
