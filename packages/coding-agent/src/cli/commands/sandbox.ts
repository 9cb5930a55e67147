/** `tau sandbox`: runs a command as the model's would run, or explains what such a command can do. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";

import { commandEnvironment, listDescendants } from "@tau/sys";
import { SessionSandbox } from "@tau/session/sandbox";
import { UsageError } from "@tau/utils";

import { explainSandbox, sandboxLines } from "@tau/session-commands/work";
import type { Args } from "../args.ts";
import { openSettings } from "../launch/load-settings.ts";
import { printError } from "../print-error.ts";
import { limits } from "../limits.ts";
import { onInterrupt } from "../signals.ts";
import { jsonLine, printed } from "./sessions/output.ts";

export async function runSandbox(args: Args): Promise<number> {
	const settings = await openSettings(args);
	// Who asks for the sandbox by name wants no command outside of it.
	const env = { ...process.env, TAU_SANDBOX: "required" };
	await using sandbox = new SessionSandbox({ cwd: process.cwd(), env, settings });
	if (args.flags.has("explain")) return await explain(sandbox, settings.get("sandbox.network.allow"), args);
	const [first, ...rest] = args.operands;
	if (first === undefined) throw new UsageError("tau sandbox needs a command, or --explain.");
	const command = rest.length === 0 ? ["bash", "-c", first] : [first, ...rest];
	return await runInside(sandbox, command);
}

async function runInside(sandbox: SessionSandbox, command: readonly string[]): Promise<number> {
	using interruption = onInterrupt();
	try {
		const launcher = await sandbox.launcher();
		if (!launcher) throw new Error("There is no sandbox.");
		using launched = await launcher.launch(command, { cwd: process.cwd() });
		await launched.connected;
		const [program = "", ...args] = launched.command;
		const env = launcher.environment(commandEnvironment(process.env));
		// Elsewhere everything inside ends with the sandbox.
		await using leftovers = "isLandlock" in launcher ? ownLeftovers() : undefined;
		launcher.commandStarts?.();
		// What it planted for git to run outside is put back or disarmed, as after a command of the model.
		using _ = { [Symbol.dispose]: () => launcher.commandEnded() };
		const child = spawn(program, args, {
			cwd: "/",
			env,
			stdio: ["inherit", "inherit", "inherit", "ignore", launched.file],
			signal: interruption.signal,
		});
		// An interruption ends it; its exit code says so.
		child.on("error", () => {});
		await once(child, "close");
		await leftovers?.end();
		if (interruption.exitCode !== undefined) return interruption.exitCode;
		return child.exitCode ?? 128 + (child.signalCode ? constants.signals[child.signalCode] : 0);
	} catch (error) {
		printError(error instanceof Error ? error.message : String(error));
		return 1;
	}
}

interface Leftovers extends AsyncDisposable {
	/** Ends what the command has left behind, before what it has changed is put back. */
	end(): Promise<void>;
}

/** They are children of this process, which the sandbox has made their parent. */
function ownLeftovers(): Leftovers {
	const end = async (): Promise<void> => {
		const late = performance.now() + limits.leftoversMs;
		// A process may start others until it is reached.
		for (let left = listDescendants(process.pid); left.length > 0; left = listDescendants(process.pid)) {
			for (const pid of left) kill(pid);
			if (performance.now() > late)
				throw new Error(`The command has left ${left.length} processes behind that could not be ended.`);
			await Bun.sleep(1);
		}
	};
	return { end, [Symbol.asyncDispose]: end };
}

function kill(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch {
		// It has ended meanwhile.
	}
}

async function explain(sandbox: SessionSandbox, hosts: readonly string[], args: Args): Promise<number> {
	const explained = await explainSandbox(sandbox, hosts);
	if (!args.flags.has("json")) return printed(`${sandboxLines(explained).join("\n")}\n`);
	const { profile, ...facts } = explained;
	// Settings in variables may hold keys (`http.extraHeader`).
	return printed(jsonLine({ ...facts, ...profile, gitUser: undefined, boundary: undefined }));
}
