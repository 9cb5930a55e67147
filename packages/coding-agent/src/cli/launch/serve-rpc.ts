/** Runs RPC mode over standard input and output. */

import { processOutput } from "../../modes/output.ts";
import { runRpc, type RpcSession } from "../../modes/rpc/index.ts";
import { UsageError } from "@tau/utils";
import type { Args } from "../args.ts";
import { printError } from "../print-error.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Interruption } from "../signals.ts";

export interface RpcParts extends RpcSession {
	interruption: Interruption;
}

/** Client messages arrive on standard input, and nothing precedes them. */
export function rejectPrompts({ messages, files }: Args): void {
	const [word] = [...messages, ...files.map((file) => `@${file}`)];
	if (word !== undefined)
		throw new UsageError(`--mode rpc takes no prompt ("${word}"). Send it as a command on standard input.`);
}

export async function serveRpc({ interruption, ...session }: RpcParts): Promise<number> {
	const gone = new AbortController();
	const out = processOutput(process.stdout, () => gone.abort());
	const signal = AbortSignal.any([interruption.signal, gone.signal]);
	await runRpc({ ...session, input: Bun.stdin.stream(), out, signal });
	const problem = await out.settled();
	if (problem) printError(`cannot write to the client: ${problem.message}`);
	return problem ? exitCodes.failed : (interruption.exitCode ?? exitCodes.answered);
}
