/** Answers the adapter's request to run the debuggee in a terminal: it gets one of the machine, inside the same boundary. */
import { shellQuote, type Machine } from "@tau/sys";
import { isRecord } from "@tau/utils";

interface TerminalContext {
	readonly machine: Machine;
	readonly cwd: string;
	readonly env: Record<string, string>;
	/** Ends the command. */
	readonly signal: AbortSignal;
	onOutput(text: string): void;
}

/** A debuggee may stay at a breakpoint for as long as the session lasts. */
const longestMs = 24 * 60 * 60_000;

export async function runInTerminal(request: unknown, context: TerminalContext): Promise<object> {
	const { args, cwd, env } = isRecord(request) ? request : {};
	const words = Array.isArray(args) ? args.filter((word): word is string => typeof word === "string") : [];
	if (words.length === 0) throw new Error("runInTerminal without a command.");
	const variables = isRecord(env) ? Object.entries(env) : [];
	const unset = new Set(variables.filter(([, value]) => value === null).map(([name]) => name));
	const set = variables.filter((pair): pair is [string, string] => typeof pair[1] === "string");
	const decoder = new TextDecoder();
	const started = Promise.withResolvers<void>();
	const running = context.machine.shell.pty().start({
		command: `exec ${words.map(shellQuote).join(" ")}`,
		cwd: typeof cwd === "string" && cwd !== "" ? cwd : context.cwd,
		env: Object.fromEntries(
			Object.entries({ ...context.env, ...Object.fromEntries(set) }).filter(([name]) => !unset.has(name)),
		),
		timeoutMs: longestMs,
		signal: context.signal,
		onStart: () => started.resolve(),
		onOutput: (chunk) => context.onOutput(decoder.decode(chunk, { stream: true })),
	});
	running.catch(started.reject);
	await Promise.race([started.promise, running]);
	return {};
}
