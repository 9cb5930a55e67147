/** Runs Bun without a shell, within limits, and with a minimal environment. */
import { inheritedGitEnvironment, killTree, ownedEnvironment } from "@tau/sys";
import { cutUnits, maskSecrets, stripControls, throwIfAborted, withTimeout, type Env } from "@tau/utils";

import { limits } from "../limits.ts";
import { PackageError } from "../problem.ts";

export interface ProcessRequest {
	/** The display name: `bun install`. */
	name: string;
	command: readonly string[];
	cwd: string;
	/** The part of this that the process needs is passed on. */
	env: Env;
	/** Additional variables. */
	more: Readonly<Record<string, string>>;
	ms: number;
	signal?: AbortSignal | undefined;
}

/** Returns the output; throws an error with the process's message if it failed. */
export async function runProcess(request: ProcessRequest): Promise<string> {
	const { name, command, cwd, env, more, ms, signal } = request;
	throwIfAborted(signal);
	using deadline = withTimeout(signal, ms, `${name} timed out after ${ms / 1000} s`);
	// By this are found those that it starts while it is being ended; they would keep its output open.
	const { env: childEnv, mark } = ownedEnvironment({ ...neededEnv(env), ...more });
	const child = start(name, command, cwd, childEnv);
	const stop = (): void => void killTree(child.pid, mark);
	deadline.signal.addEventListener("abort", stop, { once: true });
	try {
		const [out, err, code] = await Promise.all([tailOf(child.stdout), tailOf(child.stderr), child.exited]);
		throwIfAborted(deadline.signal);
		if (code === 0) return out;
		const text = stripControls(maskSecrets(`${err}\n${out}`)).trim();
		throw new PackageError(`${name} failed: ${cutUnits(text, limits.reasonChars) || `exit code ${code}`}`);
	} finally {
		deadline.signal.removeEventListener("abort", stop);
		if (child.exitCode === null) stop();
	}
}

type Child = Bun.Subprocess<"ignore", "pipe", "pipe">;

function start(name: string, command: readonly string[], cwd: string, env: Record<string, string>): Child {
	try {
		return Bun.spawn([...command], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		throw new PackageError(`Cannot start ${name}: ${reason}`);
	}
}

async function tailOf(stream: ReadableStream<Uint8Array>): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of stream)
		text = (text + decoder.decode(chunk, { stream: true })).slice(-limits.processOutputChars);
	return text;
}

const needed = /^(?:NPM_\w+|NODE_EXTRA_CA_CERTS)$/i;

/** Keys of model providers are removed. A dependency may be a repository: then Bun starts git. */
function neededEnv(env: Env): Record<string, string> {
	const own = Object.entries(env).filter(
		(entry): entry is [string, string] => entry[1] !== undefined && needed.test(entry[0]),
	);
	return { ...inheritedGitEnvironment(env), ...Object.fromEntries(own) };
}
