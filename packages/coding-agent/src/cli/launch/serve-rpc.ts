/** Runs RPC mode over standard input and output: the client is served as soon as it can be asked something. */
import { dirs, UsageError } from "@tau/utils";
import { askTrust } from "@tau/extensions/trust";
import { UserRequests } from "@tau/session/host";

import { processOutput } from "../../modes/output.ts";
import { runRpc, type RpcSession } from "@tau/server/rpc";
import type { Args } from "../args.ts";
import { printError } from "../print-error.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Interruption } from "../signals.ts";
import { openServed } from "./open-served.ts";
import type { PartsOptions } from "./session-parts.ts";

export interface RpcLaunch extends Pick<PartsOptions, "args" | "cwd" | "outerEnv" | "settings"> {
	interruption: Interruption;
}

export async function serveRpc({ interruption, ...launch }: RpcLaunch): Promise<number> {
	const { args, cwd } = launch;
	rejectPrompts(args);
	const gone = new AbortController();
	const out = processOutput(process.stdout, () => gone.abort());
	const signal = AbortSignal.any([interruption.signal, gone.signal]);
	const requests = new UserRequests();
	const question = { cwd, agentDir: dirs().agent, signal, onNotice: printError };
	await using owned = new AsyncDisposableStack();
	const open = async (): Promise<RpcSession> => {
		const { host, parts, commands } = owned.use(
			await openServed({
				...launch,
				requests,
				// A client that has not said that it can answer would never do so.
				...(args.flags.has("ask-trust")
					? { askTrust: (paths) => askTrust(requests, { ...question, paths }) }
					: {}),
			}),
		);
		return { host, extensions: parts.extensions, resources: parts.resources, mcp: parts.mcp, commands };
	};
	await runRpc({ input: Bun.stdin.stream(), out, signal, requests, open });
	const problem = await out.settled();
	if (problem) printError(`cannot write to the client: ${problem.message}`);
	return problem ? exitCodes.failed : (interruption.exitCode ?? exitCodes.answered);
}

/** Client messages arrive on standard input, and nothing precedes them. */
function rejectPrompts({ messages, files, flags }: Args): void {
	const [word] = [...messages, ...files.map((file) => `@${file}`)];
	if (word !== undefined)
		throw new UsageError(`--mode rpc takes no prompt ("${word}"). Send it as a command on standard input.`);
	if (flags.has("output-schema")) throw new UsageError("--output-schema is for print mode (-p).");
}
