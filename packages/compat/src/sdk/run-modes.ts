/** Running sessions as the command line does, by pi's functions. */
import type { ImageContent } from "@tau/ai";
import { ownWrite } from "@tau/utils";

import type { AgentSessionRuntime } from "./session-runtime.ts";

/** Runs the program with these arguments in a separate process. Its exit code becomes that of this one. */
export async function main(args: readonly string[]): Promise<void> {
	// Compiled, the program is its own file; else it is the user's tau.
	const tau = Bun.main.startsWith("/$bunfs") ? process.execPath : Bun.which("tau");
	if (tau === null) throw new Error("tau is not on PATH.");
	const child = Bun.spawn([tau, ...args], { stdio: ["inherit", "inherit", "inherit"] });
	process.exitCode = await child.exited;
}

export interface PrintModeOptions {
	mode?: "text" | "json";
	initialMessage?: string;
	initialImages?: readonly ImageContent[];
	messages?: readonly string[];
}

/** Sends the prompts, prints the last answer or all events, and returns the exit code. */
export async function runPrintMode(
	runtime: AgentSessionRuntime,
	{ mode = "text", initialMessage, initialImages = [], messages = [] }: PrintModeOptions,
	print: (text: string) => void = (text) => void ownWrite(process.stdout)(text),
): Promise<number> {
	const { session } = runtime;
	const stop = mode === "json" ? session.subscribe((event) => print(`${JSON.stringify(event)}\n`)) : () => {};
	try {
		if (initialMessage !== undefined) await session.prompt(initialMessage, { images: initialImages });
		for (const message of messages) await session.prompt(message);
	} finally {
		stop();
	}
	const last = session.messages.findLast(({ role }) => role === "assistant");
	const isBroken =
		last?.role === "assistant" && (last.stopReason === "error" || last.stopReason === "aborted");
	if (mode === "text" && !isBroken) print(`${session.getLastAssistantText() ?? ""}\n`);
	await runtime.dispose();
	return isBroken ? 1 : 0;
}

/** Standard input and output belong to the program that runs the extension. */
export async function runRpcMode(_runtime: AgentSessionRuntime): Promise<never> {
	throw new Error(
		"A session cannot be served from inside the process. Start tau --mode rpc, or use RpcClient.",
	);
}

/** There is one screen, and Tau has it. */
export class InteractiveMode {
	readonly runtime: AgentSessionRuntime;

	constructor(runtime: AgentSessionRuntime, _options: object = {}) {
		this.runtime = runtime;
	}

	async init(): Promise<void> {
		await this.run();
	}

	async run(): Promise<void> {
		throw new Error(
			"A session cannot take over the screen from inside the process. Start tau --session <file>.",
		);
	}
}
